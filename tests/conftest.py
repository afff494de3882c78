from hypothesis import settings

# the machines that run the tests are shared: a slow example is no failure
settings.register_profile("spacy_gapdner", deadline=None)
settings.load_profile("spacy_gapdner")
