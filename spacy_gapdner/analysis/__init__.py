"""What corpora hold, and what trained pipelines do with them: functions that return data."""
