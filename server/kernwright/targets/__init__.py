"""What toolchains say: compilers found, commands per file, remarks, profiles, counts.

``Target`` is the one door: the engine asks a target and never names a compiler itself. Everything here starts
processes only through a ``kernwright.run.Runner`` that is handed in.
"""
