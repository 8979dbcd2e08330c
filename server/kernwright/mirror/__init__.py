"""The analysis worker: open documents mirrored in a process of their own, parsed and examined as they change.

It promises that what it says of a text is what a fresh analysis of the same text says, and that it compiles and runs
nothing. Only plain data leaves it.
"""
