-- A search begun by a code action; its best rewrite taken, by the editor's own means, and saved.
local steps = dofile(vim.env.STEPS)

steps.run(function()
  steps.open(vim.env.FILE)
  steps.wait('a finding is shown', function()
    return #steps.diagnostics('kernwright') > 0
  end)
  steps.go_to('sum +=')
  steps.take_action('Search verified rewrites of dot')
  local lens = steps.wait('the lens counts rewrites', function()
    for _, one in ipairs(steps.drawn('nvim.lsp.codelens')) do
      if one.text:find('verified rewrite', 1, true) then
        return one
      end
    end
  end)
  steps.record('lens', lens)
  local found = steps.offers()
  steps.record('offers', steps.titles(found))

  local taken = found[1]
  steps.client:request('codeAction/resolve', taken.action, function(problem, resolved)
    taken.resolved = problem and { problem = problem } or resolved
  end, steps.buffer)
  steps.wait('the edit is there', function()
    return taken.resolved
  end)
  steps.record('encoding', steps.client.offset_encoding)
  steps.record('resolved', taken.resolved)
  steps.take_action(taken.title)
  steps.wait('the edit is applied', function()
    return vim.bo[steps.buffer].modified
  end)
  if vim.env.PLANTED == 'another text' then
    vim.api.nvim_buf_set_lines(steps.buffer, -1, -1, true, { '' })
  end
  steps.save()
  steps.wait('the offer is gone', function()
    return not vim.list_contains(steps.titles(steps.offers()), taken.title)
  end)
  steps.finish()
end)
