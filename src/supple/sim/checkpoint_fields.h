// Values under the names of a checkpoint, to be written or read: one list of fields serves for both.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "supple/sim/checkpoint.h"

namespace supple {

class CheckpointFields {
 public:
  CheckpointFields(Checkpoint& c, bool reading, std::string prefix = "")
      : c_(c), reading_(reading), prefix_(std::move(prefix)) {}
  bool reading() const { return reading_; }
  Checkpoint& checkpoint() const { return c_; }
  CheckpointFields under(const std::string& name) const { return {c_, reading_, prefix_ + name + "."}; }

  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const char* name, T& value) const {
    double& kept = c_.numbers[prefix_ + name];
    if (reading_)
      value = static_cast<T>(kept);
    else
      kept = static_cast<double>(value);
  }
  void operator()(const char* name, VecX& values) const {
    VecX& kept = c_.vectors[prefix_ + name];
    if (reading_)
      values = kept;
    else
      kept = values;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const char* name, std::vector<T>& values) const {
    VecX& kept = c_.vectors[prefix_ + name];
    if (reading_) return values.assign(kept.begin(), kept.end());
    kept.resize(static_cast<Eigen::Index>(values.size()));
    std::copy(values.begin(), values.end(), kept.begin());
  }
  // All of one length.
  void operator()(const char* name, std::vector<VecX>& rows) const {
    VecX& kept = c_.vectors[prefix_ + name];
    size_t count = rows.size();
    under(name)("rows", count);
    if (reading_) rows.resize(count);
    if (!reading_) kept.resize(count > 0 ? static_cast<Eigen::Index>(count) * rows[0].size() : 0);
    const Eigen::Index length = count > 0 ? kept.size() / static_cast<Eigen::Index>(count) : 0;
    for (size_t k = 0; k < count; ++k) {
      auto row = kept.segment(static_cast<Eigen::Index>(k) * length, length);
      if (reading_)
        rows[k] = row;
      else
        row = rows[k];
    }
  }
  // What may not be there; `list` lists what it has.
  template <class T, class List>
  void maybe(const char* name, std::optional<T>& value, const List& list) const {
    bool there = value.has_value();
    (*this)(name, there);
    if (reading_) value = there ? std::optional<T>(T()) : std::nullopt;
    if (there) list(under(name), *value);
  }

 private:
  Checkpoint& c_;
  bool reading_;
  std::string prefix_;
};

}  // namespace supple
