"""The version of this package. A release writes it, here and in pyproject.toml."""

VERSION = "0.1.0"
