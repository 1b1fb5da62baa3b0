// make_character FOLDER: the pear, for programs that want a character.
#include <cstdio>

#include "supple/demos/examples/examples.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::puts(supple::demos::write_example("pear", argv[1]).c_str());
  return 0;
}
