#include "reading.h"

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "named_files.h"
#include "supple/base/error.h"
#include "supple/base/reading_scope.h"

namespace supple {

namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && std::filesystem::exists(path, ignored);
}

}  // namespace

ReadingOfCall::ReadingOfCall(const std::vector<std::string>& words, const std::vector<std::string>& folders) {
  ReadingScope scope = ReadingScope::closed();
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
      throw InputError({.place = "--allow-read=" + folder}, "there is no such folder",
                       "Name one that is there; all below it may be read.");
    scope.allow_folder(folder);
  }
  const char* list = std::getenv("SUPPLE_ALLOW_READ");
  std::string rest = list ? list : "";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (end > 0) scope.allow_folder(rest.substr(0, end), false);
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  scope.allow_resolved(files_named_before());
  set_reading_scope(std::move(scope));
  // A word is a file, or ends in one: --cache=walk.pc2, surface.file=fox.glb.
  for (const std::string& word : words)
    for (const std::string& name : {word, word.substr(word.find('=') + 1)})
      if (is_there(name)) note_named_file(name);
  remember_named_files(named_files());
}

ReadingOfCall::~ReadingOfCall() {
  try {
    remember_named_files(named_files());
  } catch (const std::exception&) {  // it is only remembered
  }
}

}  // namespace supple
