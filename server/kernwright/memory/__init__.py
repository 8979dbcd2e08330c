"""What happened, kept: events on disk, append-only. Utilities, ranks and rules are folds over them (``learn.py``).

Nothing here interprets an event, and nothing here ever changes or removes one.
"""
