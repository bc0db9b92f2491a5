"""Materials and sections."""
