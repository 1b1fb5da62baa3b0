// Solved knots of p(t), kept: periods of a loop, further attempts, trials of a search and later runs need not solve for
// them again.
//
// A store holds the knots of one track without a gap from the first on, each with what the solver was left with after
// it. So a track that comes to the end of the store goes on to the bit as one that solved all of them.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "supple/sim/model.h"

namespace supple {

// Where the factor was made that the next solve may use, and under which factors of stiffness and gravity.
struct FactorMark {
  VecX u;  // empty: there is none
  double stiffness = 1, gravity = 1;
};

struct SolvedKnot {
  VecX p;
  uint64_t of = 0;  // digest of driven points and load
  bool solved = false, converged = true;
  int newton_iterations = 0;
  std::shared_ptr<const FactorMark> factor;  // after it; null: none
};

class KnotStore {
 public:
  explicit KnotStore(size_t most_bytes = size_t{1} << 30) : most_bytes_(most_bytes) {}

  // A track begins with knot `first`. Knots of another beginning or spacing are forgotten. Returns a ticket, which is
  // void when another track forgets these.
  long open(long first, double spacing);
  // Knot k, if it is there and of the same points; knots from one of other points on are forgotten.
  const SolvedKnot* find(long ticket, long k, uint64_t of);
  // The one after the last, while there is room; anything else is passed over.
  void add(long ticket, long k, SolvedKnot knot);

  size_t size() const { return knots_.size(); }
  size_t bytes() const { return bytes_; }
  bool changed() const { return changed_; }  // since it was made or unpacked

  // Whether so many knots a frame were found to be enough.
  std::map<int, bool> enough;

  std::string packed() const;
  // False, and nothing is changed: it is something else. n_vertices: of the model it is meant for.
  bool unpack(std::string_view data, int n_vertices);

 private:
  void shorten(size_t count);

  size_t most_bytes_, bytes_ = 0;
  long first_ = 0, ticket_ = 0;
  double spacing_ = 0;
  bool full_ = false, changed_ = false;
  std::vector<SolvedKnot> knots_;
};

// Stores by what p depends on. The ones not asked for longest go when there is no more room.
class KnotLibrary {
 public:
  explicit KnotLibrary(size_t most_bytes = size_t{1} << 30) : most_bytes_(most_bytes) {}
  std::shared_ptr<KnotStore> of(const std::string& key, int n_vertices);
  // Packed knots from elsewhere, for a key that is asked for the first time; empty: there are none.
  std::function<std::string(const std::string& key)> fetch;

 private:
  struct Entry {
    std::shared_ptr<KnotStore> store;
    long used = 0;
  };
  size_t most_bytes_;
  long clock_ = 0;
  std::map<std::string, Entry> stores_;
};

// The body as its equilibria see it: stiffness and load as shares of the largest stiffness, and without damping.
// Stiffer flesh under a gravity that is stronger by as much has the same equilibria, and here it is the same body to
// the bit: shares are rounded to 28 bits, so that it does not matter how they were come by.
ModelSpec static_spec(const ModelSpec& spec);
// Everything of a body that its equilibria depend on.
std::string static_digest(const ModelSpec& spec);

}  // namespace supple
