;;; steps.el --- what every Emacs test needs  -*- lexical-binding: t; -*-

;; Waiting for something, and writing down what was seen.  A record is one line of JSON in the file $RECORDS; the last
;; one of a run that went well is {"end": "reached"}.

(require 'json)
(require 'seq)
(require 'flymake)

(defvar steps-pause 0.05)
(defvar steps-patience (string-to-number (getenv "PATIENCE_SECONDS")))

(defun steps--write (record)
  (let ((coding-system-for-write 'utf-8))
    (write-region (concat (decode-coding-string (json-serialize record :false-object :json-false) 'utf-8) "\n")
                  nil (getenv "RECORDS") 'append 'quiet)))

(defun steps-record (name value)
  (steps--write `(:name ,name :value ,value)))

(defun steps-fail (why)
  (steps--write `(:failed ,why))
  (kill-emacs 1))

(defun steps-wait (what condition)
  "Return what CONDITION gives once it gives anything; end the run as failed if it does not, or if the server goes."
  (let ((last (+ (float-time) steps-patience)) value)
    (while (not (setq value (funcall condition)))
      (cond ((> (float-time) last) (steps-fail (concat what ": did not happen in time")))
            ((and steps-server (not (jsonrpc-running-p steps-server)))
             (steps-fail (concat what ": the server has gone"))))
      ;; What Emacs does between a user's commands: Eglot and Flymake wait for that.
      (run-hooks 'post-command-hook)
      (redisplay t)
      (sit-for steps-pause))
    value))

(defvar steps-server nil)

(defun steps-open (file)
  "Load the set-up that the documentation gives, and open FILE as a user does."
  (setq make-backup-files nil
        create-lockfiles nil
        auto-save-default nil
        completing-read-function #'steps-choose)
  (load (getenv "SETUP") nil t)
  (switch-to-buffer (find-file-noselect file))
  (steps-wait "the server is attached" (lambda () (and (eglot-managed-p) (eglot-current-server))))
  (setq steps-server (eglot-current-server)))

(defvar steps-choosers nil
  "What chooses in the user's place: an alist from a part of the question to a function of the candidates.")

(defun steps-choose (question candidates &rest _)
  (let ((chooser (seq-find (lambda (one) (string-search (car one) question)) steps-choosers)))
    (unless chooser (steps-fail (concat "nobody expects a question here: " question)))
    (funcall (cdr chooser) question (mapcar (lambda (one) (if (consp one) (car one) one)) candidates))))

(defun steps-place (position)
  "POSITION as a zero-based line and a column in bytes."
  (save-excursion
    (goto-char position)
    (list (1- (line-number-at-pos))
          (string-bytes (buffer-substring-no-properties (line-beginning-position) position)))))

(defun steps-go-to (text)
  (goto-char (point-min))
  (unless (search-forward text nil t) (steps-fail (concat "the buffer has no " text)))
  (goto-char (match-beginning 0)))

(defun steps-diagnostics (source)
  "The diagnostics of the server SOURCE in the buffer, as Flymake has placed them."
  (let (found)
    (dolist (one (flymake-diagnostics))
      (let* ((said (alist-get 'eglot-lsp-diag (flymake-diagnostic-data one)))
             (start (steps-place (flymake-diagnostic-beg one)))
             (end (steps-place (flymake-diagnostic-end one))))
        (when (equal (plist-get said :source) source)
          (push (list :line (car start) :column (cadr start) :end_line (car end) :end_column (cadr end)
                      :code (plist-get said :code) :message (plist-get said :message)
                      :shown (substring-no-properties (flymake-diagnostic-text one)))
                found))))
    (vconcat (nreverse found))))

(defun steps-hints ()
  "The hints that are drawn: a line and a text each."
  (let (found)
    (dolist (one (overlays-in (point-min) (point-max)))
      (when (overlay-get one 'eglot--inlay-hint)
        (push (list :line (car (steps-place (overlay-start one)))
                    :text (substring-no-properties
                           (or (overlay-get one 'after-string) (overlay-get one 'before-string))))
              found)))
    (vconcat (sort found (lambda (one other) (< (plist-get one :line) (plist-get other :line)))))))

(defun steps-actions ()
  "The code actions that the menu has for point."
  (apply #'eglot-code-actions (eglot--code-action-bounds)))

(defun steps-titles ()
  (vconcat (mapcar (lambda (one) (plist-get one :title)) (steps-actions))))

(defun steps-offers ()
  "Those of the code actions at point that are verified rewrites: their titles have a factor."
  (seq-filter (lambda (one)
                (and (string-search "×" (plist-get one :title))
                     (not (string-prefix-p "Reject: " (plist-get one :title)))))
              (steps-actions)))

(defun steps-take-action (title)
  "Take the code action TITLE, as a user who chooses it from the menu."
  (setf (alist-get "Pick an action" steps-choosers nil nil #'equal)
        (lambda (_ titles) (or (seq-find (lambda (one) (equal one title)) titles)
                               (steps-fail (concat "no code action " title)))))
  (let ((last-nonmenu-event ?x))
    (call-interactively #'eglot-code-actions)))

(defun steps-text ()
  (buffer-substring-no-properties (point-min) (point-max)))

(defun steps--ascii (buffer)
  "The text of BUFFER, which may hold bytes that are no characters."
  (with-current-buffer buffer (replace-regexp-in-string "[^[:ascii:]]" "?" (steps-text))))

(defun steps-finish ()
  "End the run.
What was decided is kept by a process of the server's a moment later: the test that reads it says, by a file, when the
editor may go."
  (steps--write '(:done t))
  (steps-wait "the editor may go" (lambda () (file-exists-p (getenv "MAY_GO"))))
  (steps-record "messages" (steps--ascii (messages-buffer)))
  (steps-record "events" (steps--ascii (jsonrpc-events-buffer steps-server)))
  (steps-record "errors" (steps--ascii (jsonrpc-stderr-buffer steps-server)))
  (eglot-shutdown steps-server nil 10)
  (steps--write '(:end "reached"))
  (kill-emacs 0))

(defmacro steps-run (&rest body)
  "Run BODY when Emacs has started; an error in it ends the run as failed."
  `(run-with-timer 0 nil (lambda ()
                           (condition-case problem (progn ,@body)
                             (error (steps-fail (format "%S" problem)))))))

(provide 'steps)
;;; steps.el ends here
