"""Base functions: constraint modes, eigenmodes, static modes."""
