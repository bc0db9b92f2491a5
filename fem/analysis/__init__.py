"""Static, vibration and buckling analyses; stresses."""
