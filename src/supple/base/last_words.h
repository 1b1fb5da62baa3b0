// How a program ends that cannot go on.
#pragma once

namespace supple {

// What would end the program by a signal ends it with words and exit status 1: an exception that nobody can take
// (memory that runs out where no exception may pass, say), and abort() of a library that others compiled. For programs
// to call once at their start. Builds with sanitizers are left alone.
void end_with_words();

// From now on the words are JSON, {"error": {kind, message}} on stdout, besides those on stderr.
void last_words_as_json();

}  // namespace supple
