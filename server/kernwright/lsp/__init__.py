"""The Language Server Protocol: the only package that imports pygls and lsprotocol.

One module a message group; each has ``register(server)``. Handlers read what the session knows and return; none
parses, compiles, runs or waits for anything but the session. Every request gets exactly one reply.
"""
