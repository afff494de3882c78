"""What a training starts from: a config, and the pretrained encoder in it."""
