"""Stiffness and mass matrices of other programs."""
