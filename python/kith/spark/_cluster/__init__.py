"""Clusters of bags, and their pairs."""
