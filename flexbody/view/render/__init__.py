"""Renderers: from a scene to pictures, films and web pages."""
