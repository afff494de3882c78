"""Readers of CRAFT and of Knowtator files."""
