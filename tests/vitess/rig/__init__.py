"""A real Vitess cluster on loopback for the tests: installing, starting, talking SQL to it, and cleaning up."""
