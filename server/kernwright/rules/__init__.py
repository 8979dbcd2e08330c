"""Rules: one Markdown file each, with documentation, match, rewrite and tests in one place.

A rule is data, never code: it can name predicates of ``vocabulary.PREDICATES`` and transforms of the engine, and
nothing else. A file that cannot be read as a rule is a ``RuleProblem`` in that file, never an exception.
"""
