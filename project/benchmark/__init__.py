"""Speed and memory of pipelines, compared with their encoders, and the time of their parts."""
