;;; facts.el --- a finding at its place; a hint drawn after a save  -*- lexical-binding: t; -*-

(load (getenv "STEPS") nil t)

(steps-run
 (steps-open (getenv "FILE"))
 (steps-wait "a finding is shown" (lambda () (> (length (steps-diagnostics "kernwright")) 0)))
 (steps-record "findings" (steps-diagnostics "kernwright"))
 (steps-record "hints before" (steps-hints))
 ;; Emacs saves only what was changed.
 (set-buffer-modified-p t)
 (save-buffer)
 (steps-wait "a hint is drawn" (lambda () (> (length (steps-hints)) 0)))
 (steps-record "hints" (steps-hints))
 (steps-finish))

;;; facts.el ends here
