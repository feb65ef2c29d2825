"""The resources of `Gate`, each in a module of its own."""
