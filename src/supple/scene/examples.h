// The embedded examples: each writes an ordinary scene with its files, made by code, and is then run as any other.
#pragma once
#include <string>
#include <vector>

namespace supple {

struct Example {
  std::string name, summary;
};
const std::vector<Example>& examples();

// Writes the scene of an example and the files it names into a directory; returns the path of the scene file.
// Throws InputError with a suggestion for an unknown name.
std::string write_example(const std::string& name, const std::string& directory);

}  // namespace supple
