#include "supple/sim/checkpoint.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/part_file.h"
#include "supple/base/read_file.h"

namespace supple {

namespace {

constexpr char kMagic[8] = {'S', 'U', 'P', 'P', 'L', 'C', 'K', '3'};

void put_size(std::string& out, uint64_t n) { out.append(reinterpret_cast<const char*>(&n), sizeof n); }
void put_text(std::string& out, const std::string& s) {
  put_size(out, s.size());
  out += s;
}
void put_doubles(std::string& out, const double* d, size_t n) {
  put_size(out, n);
  out.append(reinterpret_cast<const char*>(d), n * sizeof(double));
}

class Reader {
 public:
  Reader(const std::string& data, const std::string& path) : data_(data), path_(path) {}
  uint64_t size() {
    uint64_t n = 0;
    std::memcpy(&n, take(sizeof n), sizeof n);
    return n;
  }
  std::string text() {
    const uint64_t n = size();
    return std::string(take(n), n);
  }
  VecX doubles() {
    const uint64_t n = size();
    if (n > (data_.size() - at_) / sizeof(double)) fail();
    VecX x(static_cast<Eigen::Index>(n));
    if (n > 0) std::memcpy(x.data(), take(n * sizeof(double)), n * sizeof(double));
    return x;
  }
  [[noreturn]] void fail() const {
    throw InputError({.file = path_, .place = "byte " + std::to_string(at_)}, "the checkpoint is damaged or truncated",
                     "run again without --resume");
  }

 private:
  const char* take(uint64_t n) {
    if (n > data_.size() - at_) fail();
    at_ += n;
    return data_.data() + at_ - n;
  }
  const std::string& data_;
  const std::string& path_;
  size_t at_ = 0;
};

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& c) {
  std::string body;
  put_text(body, c.fingerprint);
  put_size(body, c.vectors.size());
  for (const auto& [name, x] : c.vectors) {
    put_text(body, name);
    put_doubles(body, x.data(), static_cast<size_t>(x.size()));
  }
  put_size(body, c.numbers.size());
  for (const auto& [name, x] : c.numbers) {
    put_text(body, name);
    put_doubles(body, &x, 1);
  }
  std::string head(kMagic, sizeof kMagic);
  put_size(head, hash_bytes(body.data(), body.size()));
  PartFile file(path);
  file.write(head);
  file.write(body);
  file.put_in_place();
}

Checkpoint read_checkpoint(const std::string& path) {
  if (!is_regular_file(path))
    throw InputError({.file = path}, "there is no checkpoint to resume from", "run without --resume");
  const std::string data = read_regular_file(path);
  if (data.size() < 16 || std::memcmp(data.data(), kMagic, sizeof kMagic) != 0)
    throw InputError({.file = path}, "not a checkpoint of this version", "run again without --resume");
  const std::string body = data.substr(16);
  uint64_t expected = 0;
  std::memcpy(&expected, data.data() + 8, sizeof expected);
  Reader reader(body, path);
  if (hash_bytes(body.data(), body.size()) != expected) reader.fail();
  Checkpoint c;
  c.fingerprint = reader.text();
  for (uint64_t n = reader.size(); n > 0; --n) {
    const std::string name = reader.text();
    c.vectors[name] = reader.doubles();
  }
  for (uint64_t n = reader.size(); n > 0; --n) {
    const std::string name = reader.text();
    const VecX x = reader.doubles();
    if (x.size() != 1) reader.fail();
    c.numbers[name] = x[0];
  }
  return c;
}

namespace {
// Five numbers each: the kind and the points.
VecX as_numbers(const std::vector<ContactPair>& pairs) {
  VecX numbers(5 * static_cast<Eigen::Index>(pairs.size()));
  Eigen::Index i = 0;
  for (const ContactPair& p : pairs) {
    numbers[i++] = static_cast<double>(p.kind);
    for (int point : p.points) numbers[i++] = point;
  }
  return numbers;
}
std::vector<ContactPair> as_pairs(const VecX& numbers) {
  std::vector<ContactPair> pairs;
  for (Eigen::Index i = 0; i + 5 <= numbers.size(); i += 5) {
    ContactPair p{.kind = numbers[i] == 0 ? ContactPair::Kind::point_triangle : ContactPair::Kind::edge_edge};
    for (int c = 0; c < 4; ++c) p.points[c] = static_cast<int>(numbers[i + 1 + c]);
    pairs.push_back(p);
  }
  return pairs;
}
}  // namespace

void put_bits(Checkpoint& c, const std::string& name, uint64_t bits) {
  c.numbers[name + ".high"] = static_cast<double>(bits >> 32);
  c.numbers[name + ".low"] = static_cast<double>(bits & 0xffffffffu);
}

uint64_t get_bits(const Checkpoint& c, const std::string& name) {
  const auto high = c.numbers.find(name + ".high"), low = c.numbers.find(name + ".low");
  if (high == c.numbers.end() || low == c.numbers.end()) return 0;
  return static_cast<uint64_t>(high->second) << 32 | static_cast<uint64_t>(low->second);
}

void put(Checkpoint& c, const State& s) {
  c.numbers["t"] = s.t;
  c.numbers["tangled_s"] = s.tangled_s;
  c.numbers["untangling_s"] = s.untangling_s;
  c.numbers["goal_t"] = s.goal_t;
  c.numbers["contact_stiffness"] = s.contact_stiffness;
  c.vectors["let_go"] = as_numbers(s.contact.let_go);
  c.vectors["tangled_for"] = s.contact.tangled_for;
  c.vectors["hit"] = s.contact.hit;
  c.vectors["hit_lasting"] = s.contact.lasting;
  c.vectors["goal"] = s.goal;
  c.vectors["u"] = s.u;
  c.vectors["v"] = s.v;
  c.vectors["a"] = s.a;
  c.vectors["strain"] = s.strain;
  c.vectors["strain_rate"] = s.strain_rate;
  c.vectors["static"] = s.p;
  c.vectors["static_rate"] = s.p_rate;
  c.vectors["static_accel"] = s.p_accel;
  if (s.q.size() > 0) c.vectors["rig"] = s.q, c.vectors["rig_rate"] = s.q_rate;
}

State get_state(const Checkpoint& c) {
  const auto if_any = [&](const char* name) { return c.vectors.count(name) > 0 ? c.vectors.at(name) : VecX(); };
  return {.t = c.numbers.at("t"),
          .u = c.vectors.at("u"),
          .v = c.vectors.at("v"),
          .a = c.vectors.at("a"),
          .strain = c.vectors.at("strain"),
          .strain_rate = c.vectors.at("strain_rate"),
          .p = c.vectors.at("static"),
          .p_rate = c.vectors.at("static_rate"),
          .p_accel = c.vectors.at("static_accel"),
          .tangled_s = c.numbers.at("tangled_s"),
          .untangling_s = c.numbers.at("untangling_s"),
          .goal = c.vectors.at("goal"),
          .goal_t = c.numbers.at("goal_t"),
          .contact_stiffness = c.numbers.at("contact_stiffness"),
          .contact = {as_pairs(c.vectors.at("let_go")), c.vectors.at("tangled_for"), c.vectors.at("hit"),
                      c.vectors.at("hit_lasting")},
          .q = if_any("rig"),
          .q_rate = if_any("rig_rate")};
}

}  // namespace supple
