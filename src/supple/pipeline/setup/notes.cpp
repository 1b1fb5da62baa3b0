#include "supple/pipeline/setup/notes.h"

#include "supple/base/hash.h"

namespace supple::pipeline {

void Notes::input(const FilePath& file) { inputs.emplace_back(file.text, hash_file(file.path)); }

}  // namespace supple::pipeline
