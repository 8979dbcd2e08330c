"""Jobs: compiling, profiling and optimising for an editor, each in a process of its own that can be ended at will."""
