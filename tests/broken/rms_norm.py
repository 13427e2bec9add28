"""RMSNorm: mistake 37."""

from broken.guard import Guard

import test_choices

RMS_NORM = Guard(test_choices.test_rms_norm_is_the_formula_and_the_library_own).catch(
    "RMSNorm: the mean subtracted, as in layer norm",
    "RMSNorm: over positions and features",
    "RMSNorm: the gain taken for its distance from 1",
    "RMSNorm: epsilon outside the root",
)
