"""A model that works on one kernel with tools: it reads, compiles, tests, profiles and submits, and is told what came
of it. What it submits is verified like every other candidate; nothing that it says is believed.

Promises: this is the only package that knows a model (``client`` alone imports ``anthropic``). The model can touch
nothing but the tools, and no tool writes a file of the user. What comes from source, compilers, experience and rules
is sent as data in marked blocks, without secrets. Every call is paid for from a budget, and is bounded.
"""
