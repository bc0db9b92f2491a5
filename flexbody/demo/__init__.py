"""A demonstration: a slider-crank with a flexible connecting rod, from the mesh to pictures."""
