"""A reduced body: its coefficients, recovery, and file."""
