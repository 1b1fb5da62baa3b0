#include "supple/rigs/rig_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/error.h"
#include "supple/rigs/rig_lines.h"

namespace supple {
namespace {

using Outcome = ChildProcess::Outcome;

constexpr size_t kShortLine = 1 << 16;  // [bytes]
constexpr const char* kSeeProtocol = "see docs/reference/rig-protocol.md";

Location command_place(const std::string& command) { return {"", 0, 0, "rig " + shown_line(command)}; }

}  // namespace

RigTalk::RigTalk(const PipeRigSpec& spec) : spec_(spec) {
  try {
    process_.emplace(spec.command, spec.directory);
  } catch (const InputError& e) {
    throw InputError(command_place(spec_.command), e.fault());
  }
}

void RigTalk::greet() { send(fmt::format("{} {}\ndescribe\n", kRigGreeting, kRigProtocol)); }
void RigTalk::say_bye() { process_->send("bye\n", 0.1); }
void RigTalk::finish() { process_->finish(lost_ ? 0 : 3); }

void RigTalk::fail(const std::string& what, const std::string& advice) {
  lost_ = true;
  throw InputError(command_place(spec_.command), what, advice);
}
void RigTalk::fail(const std::string& what) { fail(what, kSeeProtocol); }

void RigTalk::fail_late(const std::string& request) {
  fail(fmt::format("does not answer {} within {} s{}", shown_line(request), spec_.timeout_s, noise()),
       "raise the time that it may take, or run the command by itself and see" + errors());
}

void RigTalk::stop() {
  lost_ = true;
  throw Cancelled();
}

// "error text" is what a rig says that cannot do what is asked. It goes on answering.
void RigTalk::refuse_error(const std::string& line, const std::string& request) const {
  if (line != "error" && line.rfind("error ", 0) != 0) return;
  throw InputError(command_place(spec_.command), "says of " + shown_line(request) + ": " + line);
}

std::string RigTalk::noise() const { return noise_.empty() ? "" : "; it began with " + shown_line(noise_); }

std::string RigTalk::errors() const {
  const std::string text = process_->last_errors();
  return text.empty() ? "" : "; it wrote to standard error:\n" + text;
}

void RigTalk::send(const std::string& text) {
  // Why it takes no more will be seen from its output.
  const Outcome outcome = process_->send(text, spec_.timeout_s);
  if (outcome == Outcome::stopped) stop();
  if (outcome == Outcome::timeout) fail_late(text);
}

std::string RigTalk::receive(const std::string& request, size_t limit) {
  std::string line;
  const Outcome outcome = process_->receive_line(line, spec_.timeout_s, limit);
  if (outcome == Outcome::done) return line;
  if (outcome == Outcome::stopped) stop();
  if (outcome == Outcome::timeout) fail_late(request);
  if (outcome == Outcome::too_long)
    fail(fmt::format("answers {} with a line of more than {} bytes: {}", shown_line(request), limit, shown_line(line)));
  const std::string ending = process_->finish(1);
  fail(fmt::format("has ended ({}) when it should have answered {}{}{}", ending, shown_line(request),
                   line.empty() ? "" : "; its last words were " + shown_line(line), noise()),
       "run the command by itself and see" + errors());
}

std::vector<double> RigTalk::numbers(const std::string& request, size_t count) {
  send(request + '\n');
  const std::string line = receive(request, 64 * count + kShortLine);  // 25 bytes a number are enough; some print more
  refuse_error(line, request);
  std::vector<double> values;
  values.reserve(count);
  const std::string_view wrong = read_numbers(line, values);
  const std::string told = "answers " + shown_line(line) + " to " + shown_line(request) + ": ";
  if (!wrong.empty()) fail(told + shown_line(wrong) + " is no number");
  if (values.size() != count) fail(told + fmt::format("{} numbers in place of {}", values.size(), count));
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  if (bad != values.end()) fail(told + fmt::format("number {} of {} is {}", bad - values.begin() + 1, count, *bad));
  return values;
}

void RigTalk::select(int selection, const std::vector<int>& points) {
  if (selection == selection_) return;
  std::string request = "points";
  if (selection == 0) request += " all";
  for (int i : points) request += ' ' + std::to_string(i);
  send(request + '\n');
  const std::string line = receive(request, kShortLine);
  if (line != "ok") fail("answers " + shown_line(line) + " to " + shown_line(request));
  selection_ = selection;
}

// Programs have a lot to say before they run what they are told to: all before the greeting is passed over.
void RigTalk::hear_greeting() {
  constexpr int kPassedOver = 10000;  // lines
  for (int i = 0; i < kPassedOver; ++i) {
    const std::string line = receive(kRigGreeting, kShortLine);
    const auto words = words_of(line);
    if (!words.empty() && words[0] == kRigGreeting) {
      int version = 0;
      if (words.size() != 2 || !read_count(words[1], version)) fail("greets with " + shown_line(line));
      if (version != kRigProtocol)
        fail(fmt::format("speaks version {} of the protocol, not {}", version, kRigProtocol));
      noise_.clear();
      return;
    }
    if (noise_.empty()) noise_ = line;
  }
  fail("does not greet" + noise(), kSeeProtocol + errors());
}

int RigTalk::hear_count(const std::string& line, const std::vector<std::string_view>& words) {
  constexpr int kMany = 100'000'000;
  int count = 0;
  if (words.size() != 2 || !read_count(words[1], count) || count > kMany)
    fail("describes itself with " + shown_line(line));
  return count;
}

RigParameter RigTalk::parameter_of(const std::string& line) {
  const auto words = words_of(line);
  RigParameter p;
  if (words.size() != 4 || !quantity_of(words[1], p.quantity) || !read_number(words[2], p.rest) ||
      !read_number(words[3], p.unit) || !std::isfinite(p.rest) || !std::isfinite(p.unit) || p.unit <= 0)
    fail("describes a parameter with " + shown_line(line) + ", not with its name, quantity, rest value and unit");
  p.name = words[0];
  return p;
}

Tri RigTalk::triangle_of(const std::string& line) {
  const auto words = words_of(line);
  Tri t{};
  bool good = words.size() == 3;
  for (size_t k = 0; good && k < 3; ++k) good = read_count(words[k], t[k]);
  if (!good) fail("describes a triangle with " + shown_line(line));
  return t;
}

RigDescription RigTalk::hear_description() {
  hear_greeting();
  RigDescription d;
  std::set<std::string> names;
  for (;;) {
    const std::string line = receive("describe", kShortLine);
    refuse_error(line, "describe");
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "end") break;
    if (words[0] == "parameters") {
      for (int n = hear_count(line, words); n > 0; --n) {
        d.parameters.push_back(parameter_of(receive("describe", kShortLine)));
        const std::string& name = d.parameters.back().name;
        if (!names.insert(name).second) fail("has two parameters \"" + name + "\"");
      }
    } else if (words[0] == "points") {
      d.n_points = hear_count(line, words);
    } else if (words[0] == "triangles") {
      for (int n = hear_count(line, words); n > 0; --n)
        d.triangles.push_back(triangle_of(receive("describe", kShortLine)));
    } else if (words[0] == "offers") {
      d.offers_keyed = std::find(words.begin(), words.end(), "keyed") != words.end();
      d.offers_points = std::find(words.begin(), words.end(), "points") != words.end();
    } else {
      fail("describes itself with " + shown_line(line));
    }
  }
  if (d.n_points == 0) fail("has no points");
  for (const Tri& t : d.triangles)
    if (*std::max_element(t.begin(), t.end()) >= d.n_points) fail("has a triangle of points that it has not");
  return d;
}

}  // namespace supple
