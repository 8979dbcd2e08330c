"""Sandboxed child processes, device locks and the job queue: the only place that starts a process."""
