"""Read CRAFT and Knowtator files."""
