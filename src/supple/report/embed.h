// Files inside the program, copied in by the assembler: a list of numbers would take the compiler half a minute.
// Inside the room only.
#pragma once
#include <string_view>

#define SUPPLE_EMBED(name, path)                                                                  \
  asm(".section .rodata\n.global supple_page_" #name "\nsupple_page_" #name ":\n.incbin \"" path  \
      "\"\n.global supple_page_" #name "_end\nsupple_page_" #name "_end:\n.byte 0\n.previous\n"); \
  extern "C" const char supple_page_##name[], supple_page_##name##_end[]

#define SUPPLE_EMBEDDED(name) \
  std::string_view(supple_page_##name, static_cast<size_t>(supple_page_##name##_end - supple_page_##name))
