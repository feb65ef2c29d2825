"""Tests of the package: `python3 -m unittest` in this folder's parent; those in `server` need a server, which `npm
test` brings up."""
