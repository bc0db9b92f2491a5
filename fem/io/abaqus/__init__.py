"""Abaqus input files."""
