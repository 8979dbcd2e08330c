"""From experience to rules: what becomes resident and what goes cold, and the pattern that accepted rewrites share.

Everything here is pure. A draft (``draft``) is text; ``tasks/promote`` writes it.
"""
