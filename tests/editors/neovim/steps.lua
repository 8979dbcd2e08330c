-- What every Neovim test needs: waiting for something, and writing down what was seen.
-- A test is a coroutine, so that between its steps the editor runs, draws and answers servers as it does for a user.
-- A record is one line of JSON in the file $RECORDS; the last one of a run that went well is {"end": "reached"}.

local M = { patience = tonumber(vim.env.PATIENCE_SECONDS) * 1000 }
local PAUSE = 20

local function write(record)
  vim.fn.writefile({ vim.json.encode(record) }, vim.env.RECORDS, 'a')
end

function M.record(name, value)
  write({ name = name, value = value })
end

function M.fail(why)
  write({ failed = why })
  vim.cmd('cquit 1')
end

local function pause()
  local running = coroutine.running()
  vim.defer_fn(function()
    local well, why = coroutine.resume(running)
    if not well then
      M.fail(why)
    end
  end, PAUSE)
  coroutine.yield()
end

-- Ends the run as failed where `condition` does not come true, or the server has gone before it did.
function M.wait(what, condition)
  local last = vim.uv.now() + M.patience
  while true do
    local value = condition()
    if value then
      return value
    elseif M.client ~= nil and M.client:is_stopped() then
      M.fail(what .. ': the server has gone')
    elseif vim.uv.now() > last then
      M.fail(what .. ': did not happen in time')
    end
    pause()
  end
end

-- Runs a test in the editor's own time, when it has started.
function M.run(test)
  vim.defer_fn(function()
    local well, why = coroutine.resume(coroutine.create(test))
    if not well then
      M.fail(why)
    end
  end, PAUSE)
end

-- Loads the set-up that the documentation gives, and opens a file as a user does.
function M.open(file)
  vim.opt.swapfile = false
  M.messages = {}
  local notify = vim.notify
  vim.notify = function(message, level)
    table.insert(M.messages, { message = message, level = level or vim.log.levels.INFO })
    notify(message, level)
  end
  vim.ui.select = M.choose
  vim.cmd('filetype on')
  vim.cmd.luafile(vim.env.SETUP)
  vim.cmd.edit(file)
  M.buffer = vim.api.nvim_get_current_buf()
  M.wait('the server is attached', function()
    M.client = vim.lsp.get_clients({ bufnr = M.buffer, name = 'kernwright' })[1]
    return M.client and M.client.initialized
  end)
end

function M.lines()
  return vim.api.nvim_buf_get_lines(M.buffer, 0, -1, true)
end

-- The line (from 1) and byte column (from 0) of a text, as nvim_win_set_cursor takes them.
function M.place_of(text)
  for number, line in ipairs(M.lines()) do
    local column = line:find(text, 1, true)
    if column then
      return { number, column - 1 }
    end
  end
  M.fail('the buffer has no ' .. text)
end

function M.go_to(text)
  vim.api.nvim_win_set_cursor(0, M.place_of(text))
end

-- The diagnostics of one server in the buffer, as Neovim has placed them.
function M.diagnostics(source)
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(M.buffer)) do
    if one.source:lower() == source then
      table.insert(found, { line = one.lnum, column = one.col, end_line = one.end_lnum, end_column = one.end_col,
        code = one.code, message = one.message })
    end
  end
  return found
end

-- The virtual text that is drawn in namespaces whose name starts so: {line, text} for each mark.
function M.drawn(prefix)
  local found = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if vim.startswith(name, prefix) then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(M.buffer, namespace, 0, -1, { details = true })) do
        local text = ''
        for _, chunk in ipairs(mark[4].virt_text or {}) do
          text = text .. chunk[1]
        end
        if text ~= '' then
          table.insert(found, { line = mark[2], text = text })
        end
      end
    end
  end
  return found
end

-- What chooses from a menu in the user's place, by the menu's kind: codeaction, codelens, lsp_message. It is given the
-- items, their titles and the question, and returns the index of one, or nothing to leave the menu.
M.choosers = {}

function M.choose(items, options, on_choice)
  local chooser = M.choosers[options.kind]
  if not chooser then
    M.fail('nobody expects a menu here: ' .. (options.prompt or ''))
  end
  local index = chooser(items, vim.tbl_map(options.format_item, items), options.prompt)
  on_choice(items[index], index)
end

-- The code actions at the cursor, as Neovim's menu has them: title, the action, and the name of its server.
function M.actions()
  local found
  M.choosers.codeaction = function(items)
    found = vim.tbl_map(function(item)
      local client = vim.lsp.get_client_by_id(item.ctx.client_id).name
      return { title = item.action.title, action = item.action, client = client }
    end, items)
  end
  local said = #M.messages
  vim.lsp.buf.code_action()
  M.wait('the code actions are listed', function()
    if #M.messages > said and M.messages[#M.messages].message:find('No code actions', 1, true) then
      found = {}
    end
    return found
  end)
  return found
end

-- Takes the code action with this title, as a user who chooses it from the menu.
function M.take_action(title)
  local chosen
  M.choosers.codeaction = function(items)
    for index, item in ipairs(items) do
      if item.action.title == title then
        chosen = index
        return index
      end
    end
    M.fail('no code action ' .. title)
  end
  vim.lsp.buf.code_action()
  M.wait('the code action is chosen', function()
    return chosen
  end)
end

function M.titles(actions)
  return vim.tbl_map(function(one)
    return one.title
  end, actions)
end

-- Those of Kernwright's actions that are verified rewrites: their titles have a factor.
function M.offers()
  return vim.tbl_filter(function(one)
    return one.client == 'kernwright' and one.title:find('×', 1, true) and not vim.startswith(one.title, 'Reject: ')
  end, M.actions())
end

function M.save()
  vim.cmd('silent write')
end

-- Ends the run. What was decided is kept by a process of the server's a moment later: the test that reads it says, by
-- a file, when the editor may go.
function M.finish()
  write({ done = true })
  M.wait('the editor may go', function()
    return vim.uv.fs_stat(vim.env.MAY_GO) ~= nil
  end)
  local complaints = {}
  for _, one in ipairs(M.messages) do
    if one.level >= vim.log.levels.WARN then
      table.insert(complaints, one.message)
    end
  end
  M.record('complaints', complaints)
  M.record('messages', vim.tbl_map(function(one) return one.message end, M.messages))
  local log = vim.lsp.get_log_path()
  M.record('log', vim.fn.filereadable(log) == 1 and vim.fn.readfile(log) or {})
  write({ ['end'] = 'reached' })
  vim.cmd('qall!')
end

return M
