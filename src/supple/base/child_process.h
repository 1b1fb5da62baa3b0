// Another program, started beside this one and spoken with in lines over its standard input and output.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

namespace supple {

class ChildProcess {
 public:
  // command: as /bin/sh takes it, in a process group of its own. directory: where it is started; empty: here.
  // InputError: no process can be made, no such directory.
  ChildProcess(const std::string& command, const std::string& directory);
  ~ChildProcess();  // finish(0)
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // closed: it takes no more input, or has no more output. too_long: a line of more than `limit` bytes. stopped: asked
  // to, see stop_waiting_when.
  enum class Outcome { done, timeout, closed, too_long, stopped };
  // Neither stops because the other side waits to be read: whatever it writes meanwhile is taken in.
  Outcome send(std::string_view text, double timeout_s);
  // The next line of its output, without its end ("\n" or "\r\n"). With `closed`, what was left after the last of them.
  Outcome receive_line(std::string& line, double timeout_s, size_t limit);

  // The last few lines of what it wrote to standard error.
  std::string last_errors() const;
  // Closes its input, waits for so long, then ends all of its group. How it ended: "exit status 3", "signal 9
  // (Killed)"; the same again when asked again.
  std::string finish(double patience_s);

 private:
  bool take(int& fd, std::string& into);  // what there is to read; false: the end, and fd is closed
  enum class Wait { done, over, stopped };
  Wait wait_for(bool to_write, double until);
  bool ended(double until) const;
  void reap();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // our ends of its pipes
  std::string received_, error_text_;
  size_t begin_ = 0, scanned_ = 0;  // of received_: not yet given out, looked through for the end of a line
  std::string ending_;
};

// Of all processes: nobody is waited for any longer once this says true. Asked several times a second while waiting, by
// any thread; empty: never.
void stop_waiting_when(std::function<bool()> asked);

// Writes all of a text, waiting where that is needed. False: nobody reads any more. No SIGPIPE is raised.
bool write_all(int fd, std::string_view text);

}  // namespace supple
