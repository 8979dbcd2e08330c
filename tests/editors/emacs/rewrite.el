;;; rewrite.el --- a search begun by a code action; its best rewrite taken and saved  -*- lexical-binding: t; -*-

(load (getenv "STEPS") nil t)

(steps-run
 (steps-open (getenv "FILE"))
 (steps-wait "a finding is shown" (lambda () (> (length (steps-diagnostics "kernwright")) 0)))
 (steps-go-to "sum +=")
 (steps-take-action "Search verified rewrites of dot")
 (let* ((found (steps-wait "a rewrite is offered" #'steps-offers))
        (title (plist-get (car found) :title)))
   (steps-record "offers" (vconcat (mapcar (lambda (one) (plist-get one :title)) found)))
   (steps-record "encoding" (plist-get (eglot--capabilities steps-server) :positionEncoding))
   (steps-record "resolved" (jsonrpc-request steps-server :codeAction/resolve (car found)))
   (steps-take-action title)
   (steps-wait "the edit is applied" #'buffer-modified-p)
   (when (equal (getenv "PLANTED") "another text")
     (save-excursion (goto-char (point-max)) (insert "\n")))
   (save-buffer)
   (steps-wait "the offer is gone" (lambda () (not (seq-contains-p (steps-titles) title)))))
 (steps-finish))

;;; rewrite.el ends here
