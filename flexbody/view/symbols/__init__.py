"""Symbols of joints, forces, supports and connections."""
