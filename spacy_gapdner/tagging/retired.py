"""What pipelines saved before version 0.7 name in their configs."""

from ..errors import GapDNERError


def ask_for_training(loss: object = None) -> None:
    """Stand in for the labels that were the default before 0.7.

    loss (object): Ignored.
    RAISES (GapDNERError): Always.
    """
    raise GapDNERError("The pipeline was saved by a version before 0.7. Train it anew.")
