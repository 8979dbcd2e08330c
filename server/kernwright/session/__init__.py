"""The open documents and what is known of each: one event loop changes it, and nothing here does I/O.

Nothing heavy is imported below: the process that talks to the editor has to start quickly and stay small.
"""
