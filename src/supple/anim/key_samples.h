// The samples behind reduced keys, as they are and as a file holds them; shared by the two ways of reducing.
// Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/key_reduction.h"

namespace supple {

struct KeySamples {
  int width = 1;
  KeyMeasure measure = KeyMeasure::distance;
  std::vector<double> times, written_times;  // [s] in the file: meant, and as floats
  std::vector<double> values, written;       // width a sample: meant (rotations of unit length), and as floats
  double allowed = 0;                        // the error asked for, or what floats can hold

  size_t size() const { return times.size(); }
  const double* value(size_t k) const { return values.data() + k * static_cast<size_t>(width); }
  const double* key(size_t k) const { return written.data() + k * static_cast<size_t>(width); }
};

inline double as_float(double x) { return static_cast<double>(static_cast<float>(x)); }

// How far two values are apart in the measure; rotations of unit length.
double key_distance(const double* a, const double* b, int width, KeyMeasure measure);
void normalise(double* quaternion);

// Samples that are keys, in order, the fewest.
std::vector<size_t> linear_keys(const KeySamples& samples);
// The worse of the two ways that rotations are mixed at sample k, between keys a and b.
double linear_error(const KeySamples& samples, size_t a, size_t b, size_t k);

// Keys and their tangents (a row of `width` a key, rounded), the same on both sides of a key.
struct CubicKeys {
  std::vector<size_t> keys;
  std::vector<double> tangents;
};
CubicKeys cubic_keys(const KeySamples& samples);

}  // namespace supple
