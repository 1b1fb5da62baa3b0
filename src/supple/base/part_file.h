// A file that grows under a name of its own, PATH.part, and takes its final name when all of it is on the disk. Whoever
// stops the program at any moment finds under PATH what was there before, or the whole of the new.
#pragma once
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supple {

// The disk is full, or fails: no mistake in what was asked for. What is complete stays.
class OutputFailure : public std::runtime_error {
 public:
  OutputFailure(const std::string& path, int error_number);
};

class PartFile {
 public:
  // An empty one, in place of what a stopped program may have left under PATH.part. InputError: it cannot be made.
  explicit PartFile(const std::string& path);
  // One that is there, PATH.part or where there is none PATH: to be read, and after cut() gone on with. InputError:
  // neither is there.
  static PartFile found(const std::string& path);
  ~PartFile();  // without put_in_place() the part stays
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&& other) noexcept;

  // Only the first bytes stay. PATH becomes the part again. InputError: it is shorter.
  void cut(uint64_t size);

  // OutputFailure: it could not be written.
  void write(std::string_view bytes);                  // at the end
  void write_at(uint64_t at, std::string_view bytes);  // over what is there
  void sync();                                         // returns when it is on the disk
  void put_in_place();
  void drop();  // removes the part

  // What is in it already. InputError: it cannot be read.
  void read(uint64_t begin, uint64_t end, const std::function<void(std::string_view block)>& take) const;
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  std::string part() const { return path_ + ".part"; }

 private:
  PartFile() = default;
  void close();
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  bool in_place_ = false;
};

// A file or folder under another name, which it has for good when this returns. InputError: it cannot have it.
void rename_for_good(const std::string& from, const std::string& to);

// InputError: a file of this name cannot be made there. Nothing stays of the attempt.
void require_can_be_made(const std::string& path);

}  // namespace supple
