"""Symbols of joints, forces and connections."""
