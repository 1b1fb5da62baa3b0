// Which file extensions are known, and what they hold.
#pragma once
#include <string>
#include <vector>

namespace supple {

enum class FileKind { tets, surface, cache, motion, unknown };

struct FileFormat {
  std::string extension;  // ".msh"
  FileKind kind = FileKind::unknown;
  bool reads = false, writes = false;
  std::string name;
};
const std::vector<FileFormat>& file_formats();

std::string extension(const std::string& path);  // in lower case, with its dot; "" when there is none
FileKind file_kind(const std::string& path);
// Likewise, but an InputError that lists the known extensions when it is none of them.
FileKind require_known_kind(const std::string& path);

}  // namespace supple
