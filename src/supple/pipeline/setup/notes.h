// What setting up has to tell besides its result: the files that were read, and what is odd.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "supple/scene/config.h"

namespace supple::pipeline {

struct Notes {
  std::vector<std::pair<std::string, std::string>> inputs;  // file as written, hash
  std::vector<std::string> warnings;

  void input(const FilePath& file);
  void warn(std::string text) { warnings.push_back(std::move(text)); }
  void warn(const std::vector<std::string>& texts) { warnings.insert(warnings.end(), texts.begin(), texts.end()); }
};

}  // namespace supple::pipeline
