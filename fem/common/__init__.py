"""Foundations of all three packages: errors, compiled functions, progress, atomic HDF5 files."""
