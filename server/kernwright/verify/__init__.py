"""Is a rewrite right, safe, honest and faster? A cascade, cheapest first; a failure is a ``Verdict``, never an
exception."""
