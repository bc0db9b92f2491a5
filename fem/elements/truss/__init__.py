"""Truss elements."""
