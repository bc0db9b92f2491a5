"""From a scene to pixels, films and pages."""
