"""What all three packages share: errors, compiled functions, progress, atomic HDF5."""
