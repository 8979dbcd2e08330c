"""The command line: the only place that prints. ``main`` is the program ``kernwright``.

Standard output holds the answer and nothing else; progress, notes and errors go to standard error. Every failure is
one line there, with an exit status: 0 done, 1 a "no" for an answer, 2 usage or unreadable input, 130 an interrupt.
"""

from kernwright.cli.main import main

__all__ = ["main"]
