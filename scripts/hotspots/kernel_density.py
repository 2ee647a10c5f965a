"""Densities of points by scikit-learn: reads {kernel, bandwidth, points: [[x, y, weight]], at: [[x, y]]} and writes one density per place."""

import json
import sys

import numpy
from sklearn.neighbors import KernelDensity

asked = json.load(sys.stdin)
points = numpy.array(asked["points"])
model = KernelDensity(kernel=asked["kernel"], bandwidth=asked["bandwidth"], rtol=0, atol=0)
model.fit(points[:, :2], sample_weight=points[:, 2])
# Its densities integrate to 1; ours to the sum of the weights.
densities = numpy.exp(model.score_samples(numpy.array(asked["at"]))) * points[:, 2].sum()
json.dump(densities.tolist(), sys.stdout)
