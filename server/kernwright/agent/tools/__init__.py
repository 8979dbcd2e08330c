"""The tools of a model, one module each: ``TOOL`` says what it takes, as a JSON Schema, and does it.

A tool answers with short, exact, bounded text. None writes a file of the user, and none takes a path.
"""
