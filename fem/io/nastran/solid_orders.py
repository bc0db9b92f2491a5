"""Node orders of quadratic solids: Nastran has the edges between the triangles or squares before the upper ones."""

#: position in Nastran's order of each node in VTK's
ORDERS = {
    "hex20": [*range(12), 16, 17, 18, 19, 12, 13, 14, 15],
    "wedge15": [*range(9), 12, 13, 14, 9, 10, 11],
}
