"""Release pipelines: write the model card, build and check the wheel, and upload both."""
