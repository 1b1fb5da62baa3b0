#include "supple/attach/place_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "supple/attach/extend_samples.h"

namespace supple {

namespace {

constexpr int kPlaceRows = 12, kPlaceSectors = 8;
constexpr double kFrom = -0.25, kRow = 0.125;  // of `along`
constexpr double kInside = 4.5;                // digits: half of it
constexpr double kFewestCovered = 0.02;        // of the area of a place: a part with less of it is left out

using Grid = std::array<std::array<double, kPlaceSectors>, kPlaceRows>;

// In rows and sectors, whole numbers at their middles.
double row_of(const BodyPoint& at) { return std::clamp((at.along - kFrom) / kRow - 0.5, 0.0, kPlaceRows - 1.0); }
double sector_of(const BodyPoint& at, bool mirrored) {
  const double turn = (mirrored ? -at.around : at.around) / (2 * std::numbers::pi) * kPlaceSectors;
  return turn < 0 ? turn + kPlaceSectors : turn;
}

// Cells without skin take what the nearest ones have.
void fill(Grid& covered, const Grid& area) {
  const Grid known = covered;
  for (int r = 0; r < kPlaceRows; ++r)
    for (int s = 0; s < kPlaceSectors; ++s) {
      if (area[r][s] > 0) continue;
      double least = 1e300;
      for (int r2 = 0; r2 < kPlaceRows; ++r2)
        for (int s2 = 0; s2 < kPlaceSectors; ++s2) {
          if (!(area[r2][s2] > 0)) continue;
          const int turn = std::abs(s - s2), around = std::min(turn, kPlaceSectors - turn);
          const double far = (r - r2) * (r - r2) + around * around;
          if (far < least) least = far, covered[r][s] = known[r2][s2];
        }
    }
}

double between(const Grid& g, double row, double sector) {
  const int r = std::min(static_cast<int>(row), kPlaceRows - 2), s = static_cast<int>(sector) % kPlaceSectors;
  const double a = row - r, b = sector - std::floor(sector);
  const int next = (s + 1) % kPlaceSectors;
  return (1 - a) * ((1 - b) * g[r][s] + b * g[r][next]) + a * ((1 - b) * g[r + 1][s] + b * g[r + 1][next]);
}

struct PlaceOfPart {
  std::string part;
  Grid digits{};
};

PlaceOfPart read_place(const std::string& text, const Location& where) {
  std::istringstream in(text);
  PlaceOfPart place;
  in >> place.part;
  std::string row;
  for (int r = 0; r < kPlaceRows; ++r) {
    if (!(in >> row) || row.size() != kPlaceSectors || row.find_first_not_of("0123456789") != std::string::npos)
      throw InputError(where, "\"" + text + "\" is no place on a body",
                       "give a part and twelve rows of eight digits, as supple look save writes them");
    for (int s = 0; s < kPlaceSectors; ++s) place.digits[r][s] = row[static_cast<size_t>(s)] - '0';
  }
  if (in >> row)
    throw InputError(where, "\"" + text + "\" goes on behind its twelve rows",
                     "give a part and twelve rows of eight digits, as supple look save writes them");
  return place;
}

std::string other_part(std::string part) {
  if (part.ends_with(".L")) return part.replace(part.size() - 2, 2, ".R");
  if (part.ends_with(".R")) return part.replace(part.size() - 2, 2, ".L");
  return part;
}

}  // namespace

std::vector<std::string> place_text(const BodyPlan& plan, const std::vector<char>& on_skin, const TriMesh& skin) {
  const std::vector<double> areas = vertex_areas(skin);
  std::vector<std::string> texts;
  double all = 0;
  for (size_t i = 0; i < on_skin.size(); ++i) all += on_skin[i] ? areas[i] : 0;
  std::vector<std::string> done;
  for (const BodyPart& part : plan.parts) {
    // Several tails are one place.
    if (std::find(done.begin(), done.end(), part.name()) != done.end()) continue;
    done.push_back(part.name());
    Grid area{}, covered{};
    double here = 0;
    for (size_t i = 0; i < on_skin.size(); ++i) {
      const BodyPoint& at = plan.at[i];
      if (at.part < 0 || plan.parts[static_cast<size_t>(at.part)].name() != part.name()) continue;
      const auto r = static_cast<size_t>(std::lround(row_of(at)));
      const auto s = static_cast<size_t>(std::lround(sector_of(at, false))) % kPlaceSectors;
      area[r][s] += areas[i];
      if (on_skin[i]) covered[r][s] += areas[i], here += areas[i];
    }
    if (!(here > kFewestCovered * all)) continue;
    for (int r = 0; r < kPlaceRows; ++r)
      for (int s = 0; s < kPlaceSectors; ++s) covered[r][s] = area[r][s] > 0 ? covered[r][s] / area[r][s] : 0;
    fill(covered, area);
    std::string text = part.name();
    for (const auto& row : covered) {
      text += ' ';
      for (const double share : row) text += static_cast<char>('0' + std::lround(9 * share));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<char> skin_of_place(const BodyPlan& plan, const std::vector<std::string>& texts, bool mirrored,
                                const Location& where) {
  std::vector<char> on(plan.at.size(), 0);
  for (const std::string& text : texts) {
    PlaceOfPart place = read_place(text, where);
    // Limbs look alike from outside on both sides; the middle is turned over.
    const bool of_middle = other_part(place.part) == place.part;
    if (mirrored) place.part = other_part(place.part);
    for (size_t i = 0; i < on.size(); ++i) {
      const BodyPoint& at = plan.at[i];
      if (at.part < 0 || plan.parts[static_cast<size_t>(at.part)].name() != place.part) continue;
      if (between(place.digits, row_of(at), sector_of(at, mirrored && of_middle)) >= kInside) on[i] = 1;
    }
  }
  return on;
}

}  // namespace supple
