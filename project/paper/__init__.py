"""Corpora of papers, read as their published figures count them: CADEC and ShARe/CLEF."""
