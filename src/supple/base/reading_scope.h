// Which files may be read because another file names them. Files travel: a scene or a .gltf from elsewhere reads below
// its own folder and not whatever it likes of what its reader has. Why it is so: docs/design/trust.md.
#pragma once
#include <string>
#include <vector>

#include "supple/base/error.h"

namespace supple {

// A value; paths are kept with their links resolved, and compared so.
class ReadingScope {
 public:
  // Everything may be read: for callers that made the files themselves.
  ReadingScope() = default;
  bool everything() const { return everything_; }
  // Nothing but what is below the folder of the file that names it, and what is allowed.
  static ReadingScope closed();

  // With all below it. by_option: the call said so, and a call that goes on with this one has to say it again.
  void allow_folder(const std::string& folder, bool by_option = true);
  void allow_file(const std::string& path);
  void allow_resolved(std::vector<std::string> files);  // as resolved_path gives them

  // own: the folder of the file that names it; all below it may be read.
  bool allows(const std::string& path, const std::string& own) const;
  // InputError at `where`, with the option that would allow it.
  void require(const std::string& path, const std::string& own, const Location& where) const;

  // For a command that is to be run as this one was: " --allow-read=DIR" of each folder that an option allowed.
  std::string options() const;

 private:
  bool everything_ = true;
  std::vector<std::string> folders_, said_, files_;
};

// Of the whole process, as it was last set. Everything may be read until then: a library reads what it is told to, and
// who runs scenes of strangers sets another. Set before anything is read.
const ReadingScope& reading_scope();
void set_reading_scope(ReadingScope scope);

// With links resolved as far as it is there, absolute.
std::string resolved_path(const std::string& path);

// A file that a person or a scene named and that may be read: it may be read again in this process, whatever names it,
// as what we write names it from another folder. Where everything may be read, nothing is noted.
void note_named_file(const std::string& path);
// All of them so far, resolved.
std::vector<std::string> named_files();

}  // namespace supple
