"""Archives of ANSYS Mechanical APDL."""
