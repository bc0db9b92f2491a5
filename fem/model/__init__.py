"""A structure: properties on a mesh, connections, loads, supports, matrices."""
