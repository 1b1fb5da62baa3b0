// Small files of every kind that is read, by our own writers: what corpora begin with, and what scenes name.
#pragma once
#include <filesystem>

namespace supple::fuzz {

// box.msh, skin.obj, skin.pc2, pear.glb, held.txt, keys.csv and painted.txt: the files of the scenes below.
void write_scene_files(const std::filesystem::path& folder);

// One folder a target, with its inputs.
void write_corpora(const std::filesystem::path& folder);

}  // namespace supple::fuzz
