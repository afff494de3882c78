"""The error for what users get wrong."""


class GapDNERError(ValueError):
    """Input or a setting that cannot be used: what is wrong, where, and what to do about it.

    The command line prints it in one line, without a traceback.
    """
