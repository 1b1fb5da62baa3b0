// The call as it was typed, and the one that goes on with what it began.
#pragma once
#include <string>

namespace supple {

void remember_call(int argc, char** argv);

// From now on what was begun lies in a directory. option: names it in a call; "": the call named it.
void can_be_gone_on_with(const std::string& directory, const std::string& option);

// "\n  go on with: supple run fox.glb --take takes/001 --resume"; "" before anything is begun.
std::string how_to_go_on();

}  // namespace supple
