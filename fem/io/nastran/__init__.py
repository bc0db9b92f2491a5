"""Nastran bulk data files."""
