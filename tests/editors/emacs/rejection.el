;;; rejection.el --- a rewrite that is turned down with a reason, and not shown afterwards  -*- lexical-binding: t; -*-

(load (getenv "STEPS") nil t)

(steps-run
 (steps-open (getenv "FILE"))
 (steps-wait "a finding is shown" (lambda () (> (length (steps-diagnostics "kernwright")) 0)))
 (steps-go-to "sum +=")
 (steps-take-action "Search verified rewrites of dot")
 (let* ((found (steps-wait "a rewrite is offered" #'steps-offers))
        (title (plist-get (car found) :title))
        asked)
   (steps-record "before" (steps-titles))
   (steps-record "rejected" title)
   (setf (alist-get "Choose an option" steps-choosers nil nil #'equal)
         (lambda (question reasons)
           (setq asked `(:question ,(substring-no-properties question) :reasons ,(vconcat reasons)))
           (nth 1 reasons)))
   (steps-take-action (concat "Reject: " title))
   (steps-wait "a reason is asked for" (lambda () asked))
   (steps-record "asked" asked)
   (steps-record "after" (steps-titles)))
 (steps-finish))

;;; rejection.el ends here
