-- A rewrite that is turned down with a reason, and that no menu shows afterwards.
local steps = dofile(vim.env.STEPS)

steps.run(function()
  steps.open(vim.env.FILE)
  steps.wait('a finding is shown', function()
    return #steps.diagnostics('kernwright') > 0
  end)
  steps.go_to('sum +=')
  steps.take_action('Search verified rewrites of dot')
  local offers = steps.wait('a rewrite is offered', function()
    local found = steps.offers()
    return #found > 0 and found
  end)
  steps.record('before', steps.titles(steps.actions()))
  steps.record('rejected', offers[1].title)

  local asked
  steps.choosers.lsp_message = function(_, titles, question)
    asked = { question = question, reasons = titles }
    return 2
  end
  steps.take_action('Reject: ' .. offers[1].title)
  steps.wait('a reason is asked for', function()
    return asked
  end)
  steps.record('asked', asked)
  steps.record('after', steps.titles(steps.actions()))
  steps.finish()
end)
