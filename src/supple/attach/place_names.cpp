#include "supple/attach/place_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "supple/attach/body_words.h"
#include "supple/attach/pattern.h"
#include "supple/mesh/sides.h"

namespace supple {

namespace {

constexpr double kMostWeight = 0.5;  // of the weight of a skin vertex
constexpr size_t kNearest = 4, kListed = 40;

std::string small(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool any(const std::vector<char>& on) { return std::find(on.begin(), on.end(), 1) != on.end(); }

void add(const std::vector<char>& some, std::vector<char>& to) {
  to.resize(some.size(), 0);
  for (size_t i = 0; i < some.size(); ++i) to[i] = to[i] || some[i];
}

}  // namespace

std::string pair_name(const std::string& left, const std::string& right) {
  std::string a = without_side(left), b = without_side(right);
  // Some exporters number all bones in a row.
  if (a != b)
    for (std::string* name : {&a, &b}) {
      while (!name->empty() && std::isdigit(static_cast<unsigned char>(name->back()))) name->pop_back();
      while (!name->empty() && (name->back() == '_' || name->back() == '.')) name->pop_back();
    }
  return !a.empty() && a == b ? a : left + "+" + right;
}

PlaceNames::PlaceNames(BodyPlan plan, const Drawn& drawn, const std::vector<int>& skin_source,
                       std::vector<NamedRegion> regions)
    : plan_(std::move(plan)), drawn_(drawn), source_(skin_source), regions_(std::move(regions)) {
  for (const auto& [left, right] : plan_.twins)
    pairs_.push_back(pair_name(drawn_.bones[left].name, drawn_.bones[right].name));
  // What two pairs are called tells neither.
  const std::vector<std::string> all = pairs_;
  const auto full = [&](size_t k) {
    return drawn_.bones[plan_.twins[k][0]].name + "+" + drawn_.bones[plan_.twins[k][1]].name;
  };
  for (size_t k = 0; k < all.size(); ++k)
    for (size_t j = 0; j < all.size(); ++j)  // bones that two skins bind are one pair by name
      if (all[j] == all[k] && full(j) != full(k)) pairs_[k] = full(k);
}

std::vector<char> PlaceNames::led_by(const std::vector<char>& bones) const {
  std::vector<char> on(source_.size(), 0);
  const SkinWeights& w = drawn_.vertices.skin;
  for (size_t i = 0; i < source_.size(); ++i) {
    double sum = 0;
    for (int k = w.first[source_[i]]; k < w.first[source_[i] + 1]; ++k)
      if (bones[static_cast<size_t>(w.bone[k])]) sum += w.weight[k];
    on[i] = sum >= kMostWeight;
  }
  return on;
}

std::vector<char> PlaceNames::find(const std::string& name) const {
  std::vector<char> on;
  for (const NamedRegion& r : regions_)
    if (matches(name, r.name)) add(r.on_skin, on);
  std::vector<char> mine(drawn_.bones.size(), 0);
  for (size_t b = 0; b < mine.size(); ++b) mine[b] = matches(name, drawn_.bones[b].name);
  if (any(mine)) add(led_by(mine), on);
  if (any(on)) return on;
  // A bone that carries no skin of its own is no reason not to look further.
  std::fill(mine.begin(), mine.end(), 0);
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const auto& [left, right] = plan_.twins[k];
    if (matches(name, pairs_[k]) || matches(name, pairs_[k] + "s")) mine[left] = mine[right] = 1;
  }
  if (any(mine))
    if (std::vector<char> led = led_by(mine); any(led)) return led;
  if (const std::optional<SaidWord> said = said_word(name))
    if (std::vector<char> skin = supple::skin_of(*said, plan_); any(skin) || on.empty()) return skin;
  for (const BodyWord& w : body_words())
    if (matches(name, w.word))
      if (const std::vector<char> skin = supple::skin_of({&w}, plan_); any(skin)) add(skin, on);
  return on;
}

std::vector<char> PlaceNames::skin_of(const std::string& name, const Location& where) const {
  std::vector<char> on = find(name);
  if (any(on)) return on;
  if (!on.empty()) {
    const bool word = said_word(name).has_value();
    throw InputError(where,
                     word ? fmt::format("the shape of this body shows no {}", name)
                          : fmt::format("\"{}\" has no soft skin of its own", name),
                     advice(name));
  }
  throw InputError(where, fmt::format("nothing of the character is called \"{}\"", name), advice(name));
}

// The nearest names first, then what there is.
std::string PlaceNames::advice(const std::string& name) const {
  std::map<std::string, std::string> known;  // in small letters: as it is
  std::vector<std::string> words, regions, bones;
  for (const NamedPlace& p : all()) {
    known.emplace(small(p.name), p.name);
    (p.kind == NamedPlace::Kind::word ? words : p.kind == NamedPlace::Kind::region ? regions : bones).push_back(p.name);
  }
  std::vector<std::string> keys, near;
  for (const auto& [key, own] : known) keys.push_back(key);
  std::string wanted;
  for (const char c : small(name))
    if (c != '*' && c != '?') wanted += c;
  for (std::vector<std::string> left = keys; near.size() < kNearest;) {
    const std::string best = nearest_word(wanted, left.data(), left.data() + left.size());
    if (best.empty()) break;
    near.push_back(known[best]);
    std::erase(left, best);
  }
  for (const std::string& key : keys)
    if (near.size() < kNearest && wanted.size() >= 3 && key.find(wanted) != std::string::npos &&
        std::find(near.begin(), near.end(), known[key]) == near.end())
      near.push_back(known[key]);
  std::string text = near.empty() ? "" : fmt::format("Did you mean {}? ", fmt::join(near, ", "));
  if (!regions.empty()) text += fmt::format("Regions: {}. ", fmt::join(regions, ", "));
  text += fmt::format("Words: {}. ", fmt::join(words, ", "));
  const size_t listed = std::min(bones.size(), kListed);
  text += fmt::format("Bones: {}{}.", fmt::join(bones.begin(), bones.begin() + static_cast<long>(listed), ", "),
                      listed < bones.size() ? ", ..." : "");
  return text;
}

std::vector<NamedPlace> PlaceNames::all() const {
  std::vector<NamedPlace> list;
  for (const NamedRegion& r : regions_) list.push_back({r.name, NamedPlace::Kind::region, r.on_skin});
  for (size_t b = 0; b < drawn_.bones.size(); ++b) {
    std::vector<char> mine(drawn_.bones.size(), 0);
    mine[b] = 1;
    if (std::vector<char> on = led_by(mine); any(on))
      list.push_back({drawn_.bones[b].name, NamedPlace::Kind::bone, std::move(on)});
  }
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const auto& [left, right] = plan_.twins[k];
    std::vector<char> mine(drawn_.bones.size(), 0);
    mine[left] = mine[right] = 1;
    if (std::vector<char> on = led_by(mine); any(on))
      list.push_back({pairs_[k], NamedPlace::Kind::pair, std::move(on)});
  }
  for (const BodyWord& w : body_words())
    if (std::vector<char> on = supple::skin_of({&w}, plan_); any(on))
      list.push_back({w.word, NamedPlace::Kind::word, std::move(on)});
  return list;
}

}  // namespace supple
