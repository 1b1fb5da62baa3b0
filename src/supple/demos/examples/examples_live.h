// The live example: a man with belly and thighs, and a piece of tissue that an instrument is moved over.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "supple/pipeline/live/run.h"

namespace supple::demos {

// Writes man.glb, tissue.glb and tissue.toml; returns the text of the man's scene.
std::string live_example(const std::filesystem::path& directory);

// Both packs made, and one page that shows them: DIR/man, DIR/tissue, DIR/dyrt.html.
pipeline::live::LiveResult make_live_example(const std::string& directory, const std::vector<std::string>& set,
                                             const Watch& watch = {});

}  // namespace supple::demos
