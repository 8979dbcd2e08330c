;;; beside_clangd.el --- two servers behind one connection: what each shows, and edits  -*- lexical-binding: t; -*-

(load (getenv "STEPS") nil t)

(defun wait-for (what source count)
  ;; Before it asks anything Eglot sends what was edited; otherwise it waits until Emacs is idle.
  (steps-actions)
  (steps-wait what (lambda () (let ((found (steps-diagnostics source)))
                                (and (= (length found) count) (list found))))))

(steps-run
 (steps-open (getenv "FILE"))
 (steps-record "finding" (car (wait-for "the finding is shown" "kernwright" 1)))
 (steps-record "warning" (car (wait-for "the warning is shown" "clang" 1)))
 (let ((before (flymake-diagnostics)))
   (goto-char (point-min))
   (insert "/* 𝄞 above */\n")
   (steps-go-to "x[i]")
   (steps-wait "both offer actions"
               (lambda ()
                 ;; At the very point: for the place of a whole finding clangd has nothing.
                 (let ((titles (mapcar (lambda (one) (plist-get one :title)) (eglot-code-actions (point) (point)))))
                   (and (seq-find (lambda (one) (string-search "Swap operands" one)) titles)
                        (seq-contains-p titles "Search verified rewrites of dot")))))
   ;; Flymake goes on showing what it was told, at places that it does not move, until it is told anew.
   (steps-wait "both have diagnostics of the new text"
               (lambda () (not (seq-intersection before (flymake-diagnostics) #'eq)))))
 (steps-record "finding below" (car (wait-for "the finding is still shown" "kernwright" 1)))
 (steps-record "warning below" (car (wait-for "the warning is still shown" "clang" 1)))
 (steps-go-to "count = 0")
 (let (fix)
   (steps-wait "the fix is offered"
               (lambda () (setq fix (seq-find (lambda (one) (string-search "'=='" one)) (steps-titles)))))
   (steps-take-action fix))
 (wait-for "the warning is gone" "clang" 0)
 (steps-record "fixed" (steps-text))
 (steps-record "finding after the fix" (car (wait-for "the finding has stayed" "kernwright" 1)))
 (steps-go-to "sum += x[i] * y[i];")
 (delete-region (point) (line-end-position))
 (insert "missing;")
 (wait-for "the finding is gone" "kernwright" 0)
 (steps-record "error" (car (wait-for "the error is shown" "clang" 1)))
 (steps-finish))

;;; beside_clangd.el ends here
