"""Arrays in, arrays out: what a build needs, what it has, and what that breaks.

No I/O, no screen, no global state. Import `ftbuild.engine.evaluate` for the whole; this package itself
imports nothing, so that the tables of choices can be read without NumPy.
"""
