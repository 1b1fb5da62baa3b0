// Files in, whole. What a scene or a glTF file names may be anything: a pipe that is never written to, a device without
// an end, a file larger than memory. None of them is waited for or begun.
#pragma once
#include <cstddef>
#include <string>

namespace supple {

// The bytes of a regular file (or of what a link to one leads to). InputError: it is none, cannot be opened or read, or
// is larger than `most` bytes; 0: than the memory of the machine. place: of the error.
std::string read_regular_file(const std::string& path, const std::string& place = "", size_t most = 0);

// Whether it is there and regular.
bool is_regular_file(const std::string& path);

// A scene, a look or a list of names is text that people write: what is larger is something else.
inline constexpr size_t kLargestText = size_t{16} << 20;

}  // namespace supple
