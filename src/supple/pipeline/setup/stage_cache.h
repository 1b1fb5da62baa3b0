// What was made before and would come out the same again: entries of a folder, each named by its stage and by a digest
// of everything it depends on, the program included.
//
// An entry that is cut off, damaged or of something else is as good as none. Programs may share a folder: entries
// appear whole or not at all, and one that another program removed is made again.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "supple/base/digest.h"
#include "supple/inertia/knot_store.h"

namespace supple::pipeline {

class StageCache {
 public:
  // Where entries are from now on; "": nowhere, nothing is found or kept. The folder is made when something is kept.
  void open(const std::string& folder, uint64_t most_bytes = uint64_t{4} << 30);
  bool is_open() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }

  // "": there is none.
  std::string find(const std::string& stage, const std::string& key) const;
  // The oldest entries go when there are more bytes than wanted. A folder that cannot be written is no failure.
  void keep(const std::string& stage, const std::string& key, const std::string& bytes) const;

 private:
  std::string path_of(const std::string& stage, const std::string& key) const;
  void make_room() const;
  std::string folder_;
  uint64_t most_bytes_ = 0;
};

// The one of this program, as its threads are: closed until the program opens it.
StageCache& stage_cache();

// $SUPPLE_CACHE, else $XDG_CACHE_HOME/supple, else ~/.cache/supple; "" where SUPPLE_CACHE is "off" or there is no home.
std::string usual_cache_folder();

// A vector as an entry; one that is not there, or not of this size, is empty.
VecX found_vector(const std::string& stage, const std::string& key, Eigen::Index size);
void keep_vector(const std::string& stage, const std::string& key, const VecX& x);

// Solved equilibria, with those of earlier runs where the cache has them; and those of a run that is done.
std::shared_ptr<KnotLibrary> cached_knots();
void keep_knots(const std::string& key, const KnotStore& knots);

// A digest to go on from: it stands for this program.
Digest stage_digest();

}  // namespace supple::pipeline
