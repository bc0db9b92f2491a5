"""A reduced body: inertia integrals, stiffness, markers, stress modes and its HDF5 file."""
