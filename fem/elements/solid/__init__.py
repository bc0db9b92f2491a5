"""Solid elements."""
