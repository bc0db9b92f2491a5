"""What is drawn of a machine, a structure, a result."""
