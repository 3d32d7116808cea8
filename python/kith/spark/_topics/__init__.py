"""Bags as a run of one machine, and topics, which are made of such a run."""
