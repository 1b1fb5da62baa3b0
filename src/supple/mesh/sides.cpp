#include "supple/mesh/sides.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"

namespace supple {

namespace {

constexpr double kSame = 1e-6;  // of the size: how far apart points are the same
constexpr std::pair<const char*, const char*> kSides[] = {{"l", "r"}, {"left", "right"}, {"lft", "rgt"}, {"lt", "rt"}};

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Words: runs of letters, cut where a small letter is followed by a capital one, and before the last capital of several
// that a small one follows (LThigh: L, Thigh).
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool same = !words.empty() && is_letter(name[i]) == is_letter(name[i - 1]);
    const bool hump =
        i > 0 && is_upper(name[i]) &&
        (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_letter(name[i + 1]) && !is_upper(name[i + 1])));
    if (!same || (is_letter(name[i]) && hump)) words.emplace_back();
    words.back() += name[i];
  }
  return words;
}

std::string like(const std::string& word, const char* lower) {
  std::string out = lower;
  const bool all = std::all_of(word.begin(), word.end(), is_upper) && (word.size() > 1 || out.size() == 1);
  for (size_t i = 0; i < out.size(); ++i)
    if (all || (i == 0 && is_upper(word[0])))
      out[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[i])));
  return out;
}

std::vector<int> nearest_to_images(const Points& points, const Bvh& tree, const Vec3& axis, double* distance) {
  double low = points[0].dot(axis), high = low;
  for (const Vec3& x : points) low = std::min(low, x.dot(axis)), high = std::max(high, x.dot(axis));
  std::vector<int> nearest(points.size());
  std::vector<double> far(points.size());
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 image = points[i] + (low + high - 2 * points[i].dot(axis)) * axis;
      const auto c = tree.closest(image, [&](int k) { return (points[static_cast<size_t>(k)] - image).squaredNorm(); });
      nearest[i] = c.item, far[i] = std::sqrt(c.distance2);
    }
  });
  *distance = 0;
  for (double d : far) *distance += d;
  return nearest;
}

}  // namespace

std::string without_side(const std::string& name) {
  std::string out;
  for (std::string word : words_of(name)) {
    std::string small = word;
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::any_of(std::begin(kSides), std::end(kSides),
                    [&](const auto& side) { return small == side.first || small == side.second; }))
      continue;
    // What stood around it meets: once is enough.
    if (!out.empty() && out.back() == word[0] && !is_letter(word[0])) word.erase(0, 1);
    out += word;
  }
  const auto separates = [](char c) { return c == '.' || c == '_' || c == '-' || c == ' '; };
  while (!out.empty() && separates(out.back())) out.pop_back();
  while (!out.empty() && separates(out.front())) out.erase(0, 1);
  return out;
}

std::string other_side(const std::string& name) {
  std::string out;
  for (const std::string& word : words_of(name)) {
    std::string small = word, changed = word;
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const auto& [left, right] : kSides) {
      if (small == left) changed = like(word, right);
      if (small == right) changed = like(word, left);
    }
    out += changed;
  }
  return out;
}

std::vector<int> mirrored_points(const Points& points, const Vec3& up) {
  if (points.empty()) return {};
  std::vector<Box> boxes;
  for (const Vec3& x : points) boxes.push_back({x, x});
  const Bvh tree(std::move(boxes));
  std::vector<int> best;
  double least = 0;
  // A body that is alike both ways is mirrored by the first.
  const double same = kSame * longest_side(points) * static_cast<double>(points.size());
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = Vec3::Unit(k);
    if (std::abs(axis.dot(up)) > 0.5) continue;
    double distance = 0;
    std::vector<int> images = nearest_to_images(points, tree, axis, &distance);
    if (best.empty() || distance < least - same) best = std::move(images), least = distance;
  }
  return best;
}

}  // namespace supple
