"""Beam elements."""
