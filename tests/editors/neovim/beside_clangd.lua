-- Two servers on one buffer, which count characters differently: what each shows, and what becomes of it by edits.
local steps = dofile(vim.env.STEPS)

local function wait_for(what, source, count)
  return steps.wait(what, function()
    local found = steps.diagnostics(source)
    return #found == count and found
  end)
end

steps.run(function()
  steps.open(vim.env.FILE)
  local clangd = steps.wait('clangd is attached', function()
    local client = vim.lsp.get_clients({ bufnr = steps.buffer, name = 'clangd' })[1]
    return client and client.initialized and client
  end)
  steps.record('encodings', { clangd = clangd.offset_encoding, kernwright = steps.client.offset_encoding })
  steps.record('finding', wait_for('the finding is shown', 'kernwright', 1))
  steps.record('warning', wait_for('the warning is shown', 'clang', 1))
  steps.save()
  steps.wait('hints of both are drawn', function()
    local words = vim.inspect(steps.drawn('nvim.lsp.inlayhint'))
    return words:find('reduction', 1, true) and words:find('x:', 1, true)
  end)
  steps.record('hints', steps.drawn('nvim.lsp.inlayhint'))

  vim.api.nvim_buf_set_lines(steps.buffer, 0, 0, true, { '/* 𝄞 above */' })
  steps.wait('both have heard of the new line', function()
    local finding, warning = steps.diagnostics('kernwright'), steps.diagnostics('clang')
    return #finding == 1 and #warning == 1 and vim.lsp.util.buf_versions[steps.buffer] > 0
  end)
  steps.go_to('x[i]')
  steps.wait('both offer actions', function()
    local servers = {}
    for _, one in ipairs(steps.actions()) do
      servers[one.client] = true
    end
    return servers.clangd and servers.kernwright
  end)
  steps.record('finding below', wait_for('the finding is still shown', 'kernwright', 1))
  steps.record('warning below', wait_for('the warning is still shown', 'clang', 1))

  steps.go_to('count = 0')
  local fix
  steps.wait('the fix is offered', function()
    for _, one in ipairs(steps.actions()) do
      if one.client == 'clangd' and one.title:find("'=='", 1, true) then
        fix = one.title
      end
    end
    return fix
  end)
  steps.take_action(fix)
  wait_for('the warning is gone', 'clang', 0)
  steps.record('fixed', table.concat(steps.lines(), '\n') .. '\n')
  steps.record('finding after the fix', wait_for('the finding has stayed', 'kernwright', 1))

  local place = steps.place_of('sum += x[i] * y[i];')
  vim.api.nvim_buf_set_text(steps.buffer, place[1] - 1, place[2], place[1] - 1, place[2] + 19, { 'missing;' })
  wait_for('the finding is gone', 'kernwright', 0)
  steps.record('error', wait_for('the error is shown', 'clang', 1))
  steps.finish()
end)
