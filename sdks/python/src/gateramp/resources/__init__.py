"""The resources of `Gate`, one module each."""
