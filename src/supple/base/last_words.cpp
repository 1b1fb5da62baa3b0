#include "supple/base/last_words.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>

namespace supple {

namespace {

constexpr char kMemory[] = "out of memory";
constexpr char kFault[] =
    "supple cannot go on, by a fault of its own or of a library that it uses. Please report it, with the file, the "
    "command and what it said last";
volatile std::sig_atomic_t as_json = 0;

void say(int fd, const char* text) {
  if (write(fd, text, std::strlen(text)) < 0) return;  // there is nobody else to tell
}

// Only what a signal handler may call, and nothing that needs memory. The words need no escapes in JSON.
[[noreturn]] void end(const char* words) {
  say(STDERR_FILENO, words);
  say(STDERR_FILENO, "\n");
  if (as_json) {
    say(STDOUT_FILENO, "{\"error\": {\"kind\": \"failure\", \"message\": \"");
    say(STDOUT_FILENO, words);
    say(STDOUT_FILENO, "\"}}\n");
  }
  _exit(1);
}

// Builds with sanitizers have handlers of their own.
[[maybe_unused]] void end_of_abort(int) { end(kFault); }

[[maybe_unused]] void end_of_exception() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    end(kMemory);
  } catch (const std::exception& e) {
    say(STDERR_FILENO, e.what());
    say(STDERR_FILENO, "\n");
  } catch (...) {
  }
  end(kFault);
}

}  // namespace

void end_with_words() {
#ifndef SUPPLE_SANITIZED
  std::set_terminate(end_of_exception);
  std::signal(SIGABRT, end_of_abort);
#endif
}

void last_words_as_json() { as_json = 1; }

}  // namespace supple
