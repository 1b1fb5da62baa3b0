// make_corpus FOLDER: inputs for every target, made by our own writers.
#include <cstdio>

#include "fuzz/small_files.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("make_corpus FOLDER\n", stderr), 2;
  supple::fuzz::write_corpora(argv[1]);
  return 0;
}
