"""Clearer text beside the original: drafted, checked against the evidence, proposed, decided."""
