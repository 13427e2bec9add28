"""Patches, and pictures beside texts: mistakes 48 and 49."""

from broken.guard import Guard

import test_pictures as tests

PICTURES = [
    *Guard(tests.test_patches_times_a_matrix_is_a_strided_convolution, size=2).catch(
        "patches: a reshape alone, which cuts strips",
        "patches: column by column",
        "patches: the channels last",
    ),
    *Guard(tests.test_the_first_vector_is_cls_and_the_others_are_patches).catch(
        "patches: [CLS] at the end",
        "patches: no position for [CLS]",
    ),
    *Guard(
        tests.test_the_contrastive_loss_is_the_mean_of_two_cross_entropies,
        temperature=0.07,
    ).catch(
        "pairs: dot products, not cosines",
        "pairs: one direction twice",
        "pairs: cosines times the temperature",
    ),
]
