"""What a front asks of the engine: examine a file, verify a rewrite, optimise a kernel, decide on an offer.

Each task takes an ``Engine`` and plain data and gives plain data back. No task prints, and none knows which front
asked for it.
"""
