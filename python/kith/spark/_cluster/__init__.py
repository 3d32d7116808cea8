"""Clusters, related pages, pairs and topics of bags, which one task makes on its local disk."""
