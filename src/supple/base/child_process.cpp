#include "supple/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "supple/base/error.h"

namespace supple {
namespace {

double steady_now() {  // [s]
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::function<bool()>& stop_asked() {
  static std::function<bool()> asked;
  return asked;
}

// A pipe of which neither end is handed down to programs that are started.
struct ClosingPipe {
  int read = -1, write = -1;
  ClosingPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw InputError({}, "no pipe can be made: " + std::string(std::strerror(errno)));
    read = ends[0], write = ends[1];
#ifdef F_SETPIPE_SZ  // a whole answer, so that who writes need not wait for who reads
    fcntl(read, F_SETPIPE_SZ, 1 << 20);
#endif
  }
  ~ClosingPipe() { close_read(), close_write(); }
  void close_read() { shut(read); }
  void close_write() { shut(write); }
  int release(int& end) { return std::exchange(end, -1); }
  static void shut(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
};

// While it lives, a write of this thread to a pipe that nobody reads fails with EPIPE and raises no signal.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalHeld() {
    const int kept = errno;
    const timespec at_once{};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

// In the new process. Only what is safe between fork and exec of a program with threads.
[[noreturn]] void become(const char* command, const char* directory, int in, int out, int err, int told) {
  int step = 0;
  setpgid(0, 0);
  // Standard descriptors of ours may be closed, so that a pipe has one of their numbers.
  told = fcntl(told, F_DUPFD_CLOEXEC, 3), in = fcntl(in, F_DUPFD, 3), out = fcntl(out, F_DUPFD, 3),
  err = fcntl(err, F_DUPFD, 3);
  const bool placed = in >= 0 && out >= 0 && err >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0;
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (err >= 0) close(err);
  if (placed && (!*directory || (step = 1, chdir(directory) == 0))) {
    step = 2;
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const char* argv[] = {"sh", "-c", command, nullptr};
    execve("/bin/sh", const_cast<char**>(argv), environ);
  }
  const int fault[2] = {step, errno};
  if (write(told, fault, sizeof fault) != sizeof fault) _exit(126);
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command, const std::string& directory) {
  ClosingPipe in, out, err, told;
  pid_ = fork();
  if (pid_ < 0) throw InputError({}, "no process can be made: " + std::string(std::strerror(errno)));
  if (pid_ == 0) become(command.c_str(), directory.c_str(), in.read, out.write, err.write, told.write);
  setpgid(pid_, pid_);  // in both, so that it is so for whoever is first
  in.close_read(), out.close_write(), err.close_write(), told.close_write();
  int fault[2] = {0, 0};
  ssize_t n;
  do n = read(told.read, fault, sizeof fault);
  while (n < 0 && errno == EINTR);
  input_ = in.release(in.write), output_ = out.release(out.read), errors_ = err.release(err.read);
  for (int fd : {input_, output_, errors_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  if (n > 0) {
    finish(0);
    throw InputError({}, (fault[0] == 1 ? "\"" + directory + "\" cannot be gone to: " : "it cannot be started: ") +
                             std::strerror(fault[1]));
  }
}

ChildProcess::~ChildProcess() { finish(0); }

bool ChildProcess::take(int& fd, std::string& into) {
  char buffer[1 << 16];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0) into.append(buffer, static_cast<size_t>(n));
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return true;
  ClosingPipe::shut(fd);
  return false;
}

void stop_waiting_when(std::function<bool()> asked) { stop_asked() = std::move(asked); }

// Takes in what there is, and returns when something was, when there is room to write, when the time is over, or when
// waiting is to stop.
ChildProcess::Wait ChildProcess::wait_for(bool to_write, double until) {
  constexpr size_t kErrorsKept = 4096;
  constexpr double kAskEvery = 0.1;  // [s]
  pollfd fds[3] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}, {to_write ? input_ : -1, POLLOUT, 0}};
  int n = 0;
  while (n == 0) {
    const double left = until - steady_now();
    n = poll(fds, 3, left <= 0 ? 0 : static_cast<int>(std::ceil(std::min(left, kAskEvery) * 1e3)));
    const bool broken = n < 0 && errno != EINTR;
    // A signal may have come to another thread.
    if (n <= 0 && stop_asked() && stop_asked()()) return Wait::stopped;
    if (n < 0) return broken ? Wait::over : Wait::done;
    if (n == 0 && left <= 0) return Wait::over;
  }
  if (fds[0].revents) take(output_, received_);
  if (fds[1].revents) {
    take(errors_, error_text_);
    if (error_text_.size() > 2 * kErrorsKept) error_text_.erase(0, error_text_.size() - kErrorsKept);
  }
  return Wait::done;
}

ChildProcess::Outcome ChildProcess::send(std::string_view text, double timeout_s) {
  const double until = steady_now() + timeout_s;
  while (!text.empty()) {
    if (input_ < 0) return Outcome::closed;
    ssize_t n;
    {
      const PipeSignalHeld held;
      n = write(input_, text.data(), text.size());
    }
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) {
      ClosingPipe::shut(input_);
      return Outcome::closed;
    }
    if (const Wait wait = wait_for(true, until); wait != Wait::done)
      return wait == Wait::stopped ? Outcome::stopped : Outcome::timeout;
  }
  return Outcome::done;
}

ChildProcess::Outcome ChildProcess::receive_line(std::string& line, double timeout_s, size_t limit) {
  const double until = steady_now() + timeout_s;
  line.clear();
  for (;;) {
    const size_t end = received_.find('\n', scanned_);
    if (end != std::string::npos) {
      const size_t length = end - begin_ - (end > begin_ && received_[end - 1] == '\r' ? 1 : 0);
      line.assign(received_, begin_, length);
      begin_ = scanned_ = end + 1;
      if (begin_ == received_.size()) received_.clear(), begin_ = scanned_ = 0;
      return length > limit ? Outcome::too_long : Outcome::done;
    }
    received_.erase(0, begin_);
    begin_ = 0, scanned_ = received_.size();
    if (received_.size() > limit) {
      line = received_;
      return Outcome::too_long;
    }
    if (output_ < 0) {
      line.swap(received_);
      received_.clear(), scanned_ = 0;
      return Outcome::closed;
    }
    if (const Wait wait = wait_for(false, until); wait != Wait::done)
      return wait == Wait::stopped ? Outcome::stopped : Outcome::timeout;
  }
}

std::string ChildProcess::last_errors() const {
  constexpr int kLines = 8;
  size_t end = error_text_.size();
  while (end > 0 && std::isspace(static_cast<unsigned char>(error_text_[end - 1]))) --end;
  size_t begin = end;
  for (int lines = 0; begin > 0; --begin)
    if (error_text_[begin - 1] == '\n' && ++lines == kLines) break;
  return error_text_.substr(begin, end - begin);
}

// Leaves the process as it is, so that its number, and that of its group, stay its own until reap().
bool ChildProcess::ended(double until) const {
  double pause = 1e-4;  // [s]
  for (;;) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_)
      return true;
    const double left = until - steady_now();
    if (left <= 0) return false;
    usleep(static_cast<useconds_t>(1e6 * std::min(pause, left)));
    pause = std::min(2 * pause, 0.02);
  }
}

void ChildProcess::reap() {
  kill(-pid_, SIGKILL);  // what else it started
  int status = 0;
  pid_t got;
  do got = waitpid(pid_, &status, 0);
  while (got < 0 && errno == EINTR);
  if (got == pid_ && WIFSIGNALED(status))
    ending_ = "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  else
    ending_ = "exit status " + std::to_string(got == pid_ ? WEXITSTATUS(status) : -1);
  pid_ = -1;
}

std::string ChildProcess::finish(double patience_s) {
  if (pid_ < 0) return ending_;
  ClosingPipe::shut(input_);
  const double until = steady_now() + patience_s;
  // It may wait for its last words to be read.
  while ((output_ >= 0 || errors_ >= 0) && steady_now() < until && !ended(0)) {
    wait_for(false, std::min(until, steady_now() + 0.02));
    received_.clear(), begin_ = scanned_ = 0;
  }
  if (!ended(until)) {
    constexpr double kGrace = 0.5;  // [s]
    kill(-pid_, SIGTERM);
    ended(steady_now() + kGrace);
  }
  reap();
  while (errors_ >= 0 && wait_for(false, 0) == Wait::done) {
  }
  ClosingPipe::shut(output_), ClosingPipe::shut(errors_);
  return ending_;
}

bool write_all(int fd, std::string_view text) {
  const PipeSignalHeld held;
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd ready{fd, POLLOUT, 0};
    poll(&ready, 1, -1);
  }
  return true;
}

}  // namespace supple
