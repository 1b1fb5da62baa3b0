// What a run keeps in its directory to be gone on with: where it stands, bit for bit, and what is done.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/deliver/stage_journal.h"
#include "supple/sim/checkpoint.h"

namespace supple::pipeline {

inline constexpr int kCheckpointEvery = 10;  // frames
inline constexpr int kKeptOverRun = 8;       // of them, about

class CheckpointFile {
 public:
  // fingerprint: of all that the run depends on.
  CheckpointFile(const std::string& directory, std::string fingerprint);

  // InputError: the folder cannot be made.
  void prepare() const;
  bool exists() const;
  void write(Checkpoint c) const;
  // The last that is whole: the one before it is kept too. InputError: there is none, both are damaged, or it belongs
  // to another scene or version.
  Checkpoint read() const;
  // Some of them stay for as long as the run does, so that it can be made anew from there. kin: fingerprint of those
  // that may go on from one, with whatever differs between them.
  void keep(int frame, Checkpoint c, const std::string& kin) const;
  // The last that was kept at a frame up to this one. InputError: there is none, or it is of no kin.
  Checkpoint kept(int frame, const std::string& kin) const;
  void forget_after(int frame) const;

  void drop_state() const;  // nobody will go on from it; the journal stays
  void remove() const;      // all of it, and the folder where nothing else is in it

  const StageJournal& journal() const { return journal_; }

 private:
  std::string kept_at(int frame) const;
  std::vector<int> kept_frames() const;  // ascending
  std::string folder_, file_, before_, fingerprint_;
  StageJournal journal_;
};

// "interrupted after frame 12: --resume goes on from there"
std::string stopped_after(int frame);

}  // namespace supple::pipeline
