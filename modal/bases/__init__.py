"""Base functions: constraint modes, eigenmodes and static modes."""
