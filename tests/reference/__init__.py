"""Small independent programs, with derivations of their own, that the tests compare the packages with.

None of them imports ``flexbody``, ``modal`` or ``fem``, none of them uses the inertia integrals C1..C8;
only ``machines.py``, which builds the same machines through the ordinary interface, does, and only
inside its functions.
"""
