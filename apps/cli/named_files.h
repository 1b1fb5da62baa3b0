// Files that this user named in earlier calls. `supple run ../assets/fox.glb` writes a scene that names
// ../../../assets/fox.glb, and `supple finish` on it has to work without a word: that file the user named, and not a
// stranger. docs/design/trust.md.
#pragma once
#include <string>
#include <vector>

namespace supple {

// Resolved, oldest first; nothing where the user's state is not kept (SUPPLE_STATE=off, no home).
std::vector<std::string> files_named_before();

// Adds resolved ones, those named last kept longest. No harm where that fails: who is refused is told what to say.
void remember_named_files(const std::vector<std::string>& files);

}  // namespace supple
