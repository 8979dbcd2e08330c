-- A finding at its place; a hint drawn after a save; a lens above the kernel, whose command runs.
local steps = dofile(vim.env.STEPS)

steps.run(function()
  steps.open(vim.env.FILE)
  steps.wait('a finding is shown', function()
    return #steps.diagnostics('kernwright') > 0
  end)
  steps.record('findings', steps.diagnostics('kernwright'))
  steps.record('hints before', steps.drawn('nvim.lsp.inlayhint'))

  steps.save()
  steps.wait('a hint is drawn', function()
    return #steps.drawn('nvim.lsp.inlayhint') > 0
  end)
  steps.record('hints', steps.drawn('nvim.lsp.inlayhint'))

  steps.wait('a lens is drawn', function()
    return #steps.drawn('nvim.lsp.codelens') > 0
  end)
  steps.record('lenses', steps.drawn('nvim.lsp.codelens'))

  steps.choosers.codelens = function(_, titles)
    steps.record('lens menu', titles)
    return 1
  end
  steps.go_to('float dot(')
  vim.lsp.codelens.run()
  steps.wait('the report is opened', function()
    return vim.api.nvim_buf_get_name(0):match('%.md$')
  end)
  steps.record('report', vim.api.nvim_buf_get_lines(0, 0, -1, true))
  steps.finish()
end)
