"""Compiled numbers: bodies, frames, constraints, forces and linear algebra of one system.

Every kernel works on the flat arrays of a :class:`flexbody.layout.Layout` and a
:class:`flexbody.layout.Work`; nothing is specialised for a system, so everything compiles once.
"""
