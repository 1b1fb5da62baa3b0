// Curves sampled at every frame, with as few keys as an error allows: what a person can edit.
#pragma once
#include <vector>

#include "supple/anim/character.h"

namespace supple {

struct ReducedKeys {
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;   // [s]
  std::vector<double> values;  // width a key; cubic: in-tangent, value, out-tangent (a second), as glTF has them
  double largest_error = 0;    // at the samples, in the measure asked for
};

enum class KeyMeasure {
  distance,  // Euclidean, over the `width` numbers of a sample
  angle      // [rad] between unit quaternions x y z w
};

// samples: width numbers at each of the times, ascending. Keys are samples; the first and the last are always among
// them. No smaller choice of straight keys holds the error where no two of them are more than 600 samples apart.
// A single sample is one linear key.
//
// Files hold floats: times and values come out rounded, and the error is that of the rounded keys at the times asked
// for. An error below what floats can hold, 0 too, keeps all samples that a straight line does not pass through but
// for rounding; largest_error says what came of it. shift [s]: files have the times later by this, and round them
// there.
//
// Rotations come out with signs that do not jump. Linear ones hold the error along the arc, as glTF has it, and mixed
// number by number, as Blender does. interpolation: linear or cubic. InputError: sizes that do not fit, what is not
// finite, rotations of no length, times that do not ascend as floats.
ReducedKeys reduce_keys(const std::vector<double>& times, const std::vector<double>& samples, int width, double error,
                        KeyMeasure measure, Interpolation interpolation, double shift = 0);

// What the keys say at t, as glTF plays them.
std::vector<double> play_keys(const ReducedKeys& keys, int width, KeyMeasure measure, double t);

}  // namespace supple
