#include "supple/attach/pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/attach/pattern.h"
#include "supple/attach/piece_roles.h"
#include "supple/attach/planted.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

std::string to_string(Role role) {
  switch (role) {
    case Role::soft:
      return "soft";
    case Role::rides:
      return "rides";
    case Role::rigid:
      return "rigid";
    case Role::ignore:
      return "ignore";
  }
  return "";
}

Role role_from_name(const std::string& name) {
  static const std::string names[] = {"soft", "rides", "rigid", "ignore"};
  for (int r = 0; r < 4; ++r) {
    if (name == names[r]) return static_cast<Role>(r);
  }
  const std::string near = nearest_word(name, std::begin(names), std::end(names));
  throw InputError({}, "\"" + name + "\" is no role of a piece",
                   near.empty() ? "write soft, rides, rigid or ignore" : "write " + near + "?");
}

namespace {

constexpr double kSole = 0.15;  // of the vertices of a shoe; an eye may touch the floor in passing

// What rides and stands on the floor: cloth stays there, and a hard thing altogether where it has a sole.
void plant_riders(const Drawn& drawn, const std::vector<Pose>& poses, const std::vector<ClipPoses>& clips,
                  const Vec3& up, const std::vector<PieceFigures>& figures, std::vector<Piece>& pieces) {
  std::vector<int> low;  // with all else that comes near the floor, which is the floor
  bool any = false;
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (!figures[p].low || pieces[p].role == Role::ignore) continue;
    low.insert(low.end(), pieces[p].vertices.begin(), pieces[p].vertices.end());
    any = any || pieces[p].role == Role::rides;
  }
  if (!any) return;
  const double height = longest_side(drawn.vertices.rest);
  const std::vector<char> on_floor = planted_skin(skin_points(drawn, low), poses, clips, up, height);
  std::vector<char> planted(drawn.vertices.rest.size(), 0);
  for (size_t k = 0; k < low.size(); ++k) planted[low[k]] = on_floor[k];
  for (Piece& piece : pieces) {
    if (piece.role != Role::rides) continue;
    for (const int v : piece.vertices) {
      if (planted[v]) piece.planted.push_back(v);
    }
    if (!piece.hard) continue;
    if (static_cast<double>(piece.planted.size()) >= kSole * static_cast<double>(piece.vertices.size())) {
      piece.role = Role::rigid;
      piece.why += ", stands on the floor";
    }
    piece.planted.clear();
  }
}

}  // namespace

std::vector<Piece> find_pieces(const Character& character, const Drawn& drawn, const std::vector<Pose>& poses,
                               const std::vector<PieceRule>& rules, std::vector<std::string>& warnings,
                               const std::vector<ClipPoses>& clips, const Vec3& up) {
  std::vector<PieceFigures> figures;
  std::vector<Piece> pieces = split_pieces(character, drawn, figures);
  measure_motion(drawn, poses, up, pieces, figures);

  std::vector<char> decided(pieces.size(), 0), used(rules.size(), 0);
  for (size_t p = 0; p < pieces.size(); ++p) {
    Piece& piece = pieces[p];
    for (size_t r = 0; r < rules.size(); ++r) {
      const std::string& pattern = rules[r].match;
      if (!matches(pattern, piece.name) && !matches(pattern, piece.node) && !matches(pattern, piece.mesh) &&
          !matches(pattern, piece.material)) {
        continue;
      }
      used[r] = 1;
      if (decided[p]) continue;
      decided[p] = 1;
      piece.role = rules[r].role;
      piece.why = "named by \"" + pattern + "\"";
      piece.hard = piece.rigid_residual < 0.02;
    }
  }
  for (size_t r = 0; r < rules.size(); ++r) {
    if (used[r]) continue;
    std::string names;
    for (size_t p = 0; p < std::min<size_t>(pieces.size(), 12); ++p) names += (p ? ", " : "") + pieces[p].name;
    if (pieces.size() > 12) names += ", ...";
    warnings.push_back("no piece is called \"" + rules[r].match + "\"; there are " + names);
  }
  guess_roles(drawn, figures, decided, pieces);
  plant_riders(drawn, poses, clips, up, figures, pieces);
  return pieces;
}

std::string pieces_table(const std::vector<Piece>& pieces) {
  size_t width = 5;
  double area = 0;
  for (const Piece& piece : pieces) {
    width = std::max(width, printable(piece.name).size());
    area += piece.area;
  }
  std::string table = fmt::format("{:<{}}  {:<6}  {:>8}  {:>8}  {:>6}  {:>8}  why\n", "piece", width, "role",
                                  "vertices", "size", "area", "residual");
  for (const Piece& piece : pieces) {
    table += fmt::format("{:<{}}  {:<6}  {:>8}  {:>8.3g}  {:>4.1f} %  {:>6.2f} %  {}{}\n", printable(piece.name), width,
                         to_string(piece.role), piece.vertices.size(), piece.size,
                         area > 0 ? 100 * piece.area / area : 0.0, 100 * piece.rigid_residual, printable(piece.why),
                         piece.role != Role::rides ? ""
                         : piece.hard              ? "; as a whole"
                                                   : "; as cloth");
  }
  return table;
}

}  // namespace supple
