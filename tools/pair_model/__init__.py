"""Makes the pair model that ships with the package; README.md says how."""
