"""Results and machines in files."""
