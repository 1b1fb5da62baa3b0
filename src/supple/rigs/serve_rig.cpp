#include "supple/rigs/serve_rig.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "supple/base/child_process.h"
#include "supple/base/error.h"
#include "supple/rigs/rig_lines.h"

namespace supple {
namespace {

std::string description_of(const RigMap& rig, const std::vector<Tri>& triangles) {
  std::string text = "parameters " + std::to_string(rig.n_parameters()) + "\n";
  for (const RigParameter& p : rig.parameters()) {
    text += p.name + ' ' + word_of(p.quantity);
    append_number(text, p.rest);
    append_number(text, p.unit);
    text += '\n';
  }
  text += "points " + std::to_string(rig.n_points()) + "\n";
  if (!triangles.empty()) {
    text += "triangles " + std::to_string(triangles.size()) + "\n";
    for (const Tri& t : triangles)
      text += std::to_string(t[0]) + ' ' + std::to_string(t[1]) + ' ' + std::to_string(t[2]) + '\n';
  }
  return text + "offers keyed points\nend\n";
}

// What answers requests: the rig, and which of its points are asked for.
class RigServer {
 public:
  RigServer(const RigMap& rig, const std::vector<Tri>& triangles) : rig_(rig), triangles_(triangles) {}

  // One or several lines, each with its end.
  std::string answer(std::string_view request) {
    const auto words = words_of(request);
    const std::string_view verb = words.empty() ? std::string_view() : words[0];
    if (verb == kRigGreeting) return std::string(kRigGreeting) + ' ' + std::to_string(kRigProtocol) + '\n';
    if (verb == "describe") return description_of(rig_, triangles_);
    if (verb == "points") return choose(words);
    if (verb != "evaluate" && verb != "keyed") return "error no such request: " + shown_line(request) + '\n';

    const size_t expected = 1 + (verb == "evaluate" ? static_cast<size_t>(rig_.n_parameters()) : 0);
    std::vector<double> values;
    const std::string_view wrong = read_numbers(request.substr(verb.end() - request.begin()), values);
    if (!wrong.empty()) return "error not a number: " + shown_line(wrong) + '\n';
    if (values.size() != expected)
      return "error " + std::string(verb) + " needs " + std::to_string(expected) + " numbers, not " +
             std::to_string(values.size()) + '\n';
    VecX result;
    try {
      if (verb == "keyed")
        result = rig_.keyed(values[0]);
      else
        result = evaluate(Eigen::Map<const VecX>(values.data() + 1, static_cast<Eigen::Index>(values.size()) - 1),
                          values[0]);
    } catch (const std::exception& e) {
      std::string text = e.what();
      std::replace(text.begin(), text.end(), '\n', ' ');
      return "error " + text + '\n';
    }
    std::string line;
    append_numbers(line, result);
    return line.substr(line.empty() ? 0 : 1) + '\n';
  }

 private:
  std::string choose(const std::vector<std::string_view>& words) {
    if (words.size() == 2 && words[1] == "all") {
      some_ = false;
      return "ok\n";
    }
    std::vector<int> chosen;
    for (size_t i = 1; i < words.size(); ++i) {
      int point = 0;
      if (!read_count(words[i], point) || point >= rig_.n_points())
        return "error no such point: " + shown_line(words[i]) + '\n';
      chosen.push_back(point);
    }
    chosen_ = std::move(chosen);
    restricted_ = rig_.for_points(chosen_);
    some_ = true;
    return "ok\n";
  }

  VecX evaluate(const VecX& p, double t) const {
    if (!some_) return rig_.evaluate(p, t);
    if (restricted_) return restricted_->evaluate(p, t);
    const VecX all = rig_.evaluate(p, t);
    VecX some(3 * static_cast<Eigen::Index>(chosen_.size()));
    for (size_t i = 0; i < chosen_.size(); ++i)
      some.segment<3>(3 * static_cast<Eigen::Index>(i)) = all.segment<3>(3 * chosen_[i]);
    return some;
  }

  const RigMap& rig_;
  const std::vector<Tri>& triangles_;
  bool some_ = false;
  std::vector<int> chosen_;
  std::shared_ptr<const RigMap> restricted_;
};

}  // namespace

void serve_rig(const RigMap& rig, const std::vector<Tri>& triangles, int input, int output) {
  RigServer server(rig, triangles);
  std::string received;
  for (;;) {
    char buffer[1 << 16];
    const ssize_t n = read(input, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    received.append(buffer, static_cast<size_t>(n));
    size_t begin = 0;
    for (size_t end; (end = received.find('\n', begin)) != std::string::npos; begin = end + 1) {
      std::string_view line(received.data() + begin, end - begin);
      const auto words = words_of(line);
      if (words.empty()) continue;
      if (words[0] == "bye") return;
      if (!write_all(output, server.answer(line))) return;
    }
    received.erase(0, begin);
  }
}

}  // namespace supple
