"""The sparse direct solvers behind :func:`fem.factorise`, one file for each library."""
