"""A machine at one instant: consistent starts, tangents, degrees of freedom."""
