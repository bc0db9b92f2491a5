"""A slider-crank with a flexible connecting rod, from the mesh to pictures."""
