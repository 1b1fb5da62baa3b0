#include "supple/io/obj.h"

#include <algorithm>
#include <array>
#include <map>

#include "supple/io/input_file.h"
#include "supple/io/output_file.h"
#include "supple/io/polygon.h"

namespace supple {

namespace {

struct Corner {
  int v = -1, vt = -1, vn = -1;
};

class ObjReader {
 public:
  explicit ObjReader(const std::string& path) : in_(path, {.comment = '#', .backslash_continues = true}) {}

  TriMesh read(ObjReport& report, std::vector<ObjPart>* parts) {
    while (!in_.done()) {
      const std::string keyword(in_.token("a keyword"));
      if (keyword == "v") {
        read_vertex();
      } else if (keyword == "vt") {
        const double u = in_.number("a texture coordinate");
        uvs_.emplace_back(u, in_.line_done() ? 0.0 : in_.number("a texture coordinate"));
      } else if (keyword == "vn") {
        normals_.push_back(read_point("a normal"));
      } else if (keyword == "f") {
        read_face(report);
      } else if (keyword == "g" || keyword == "o" || keyword == "usemtl") {
        (keyword == "usemtl" ? report.materials : report.groups) += 1;
        read_names(keyword);
        continue;  // names go to the end of the line
      }
      if (keyword == "v" || keyword == "vt" || keyword == "vn") {
        while (!in_.line_done()) in_.number("a coordinate");  // w, or a third texture coordinate
      }
      skip_line();
    }
    if (mesh_.vertices.empty()) in_.fail("the file has no vertices", "It may be empty, or no OBJ file.");
    report.ends_in_line = !in_.ends_in_newline();
    if (!mesh_.colors.empty()) mesh_.colors.resize(mesh_.vertices.size(), Vec3::Ones());
    add_triangles();
    add_attributes(report);
    if (parts) *parts = collect_parts();
    return std::move(mesh_);
  }

  int count_split_vertices() const {
    std::vector<std::array<int, 3>> corners;
    for (const auto& face : faces_)
      for (const Corner& c : face) corners.push_back({c.v, c.vt, c.vn});
    std::sort(corners.begin(), corners.end());
    return static_cast<int>(std::unique(corners.begin(), corners.end()) - corners.begin());
  }

 private:
  void skip_line() {
    while (!in_.line_done()) in_.token("");
  }

  // What the faces from here on belong to. A face has one object, one material and any number of groups; names of
  // groups have no blanks.
  void read_names(const std::string& keyword) {
    constexpr std::string_view kBlanks = " \t\r";
    std::string_view left = in_.rest_of_line();
    left = left.substr(0, left.find(" #"));
    std::vector<int>& names = keyword == "o" ? object_ : keyword == "g" ? groups_ : material_;
    names.clear();
    for (size_t begin; (begin = left.find_first_not_of(kBlanks)) != std::string_view::npos;) {
      left.remove_prefix(begin);
      const size_t whole = left.find_last_not_of(kBlanks) + 1;
      const size_t end = keyword == "g" ? std::min(left.find_first_of(kBlanks), whole) : whole;
      names.push_back(part_number(std::string(left.substr(0, end))));
      left.remove_prefix(end);
    }
    now_ = -1;
  }

  int part_number(const std::string& name) {
    const auto [found, is_new] = part_numbers_.emplace(name, static_cast<int>(parts_.size()));
    if (is_new) parts_.push_back({.name = name, .vertices = {}});
    return found->second;
  }

  std::vector<ObjPart> collect_parts() {
    for (size_t f = 0; f < faces_.size(); ++f)
      for (int p : memberships_[static_cast<size_t>(face_membership_[f])])
        for (const Corner& c : faces_[f]) parts_[static_cast<size_t>(p)].vertices.push_back(c.v);
    for (ObjPart& part : parts_) {
      std::sort(part.vertices.begin(), part.vertices.end());
      part.vertices.erase(std::unique(part.vertices.begin(), part.vertices.end()), part.vertices.end());
    }
    std::erase_if(parts_, [](const ObjPart& part) { return part.vertices.empty(); });
    return std::move(parts_);
  }

  Vec3 read_point(const char* what) {
    Vec3 x;
    for (int k = 0; k < 3; ++k) {
      if (in_.line_done()) in_.fail(std::string(what) + " needs three numbers", "The file may be truncated.");
      x[k] = in_.number(what);
    }
    return x;
  }

  void read_vertex() {
    mesh_.vertices.push_back(read_point("a vertex"));
    // Three more numbers are a colour; one alone is a weight, which is ignored.
    double extra[4];
    int n = 0;
    while (n < 4 && !in_.line_done()) extra[n++] = in_.number("a vertex colour");
    if (n < 3) return;
    mesh_.colors.resize(mesh_.vertices.size(), Vec3::Ones());
    mesh_.colors.back() = Vec3(extra[n - 3], extra[n - 2], extra[n - 1]);
  }

  // One of a/b/c: counted from 1, or from the end when negative; -1 when left out.
  int read_index(std::string_view text, size_t n, const char* what) {
    if (text.empty()) return -1;
    long long value = 0;
    if (!parse_integer(text, value) || value == 0) in_.fail(fmt::format("\"{:.40}\" is no index of {}", text, what));
    const long long index = value > 0 ? value - 1 : static_cast<long long>(n) + value;
    if (index < 0 || index > INT_MAX) in_.fail(fmt::format("a face names {} {}, which is not there", what, value));
    return static_cast<int>(index);
  }

  void read_face(ObjReport& report) {
    std::vector<Corner> face;
    while (!in_.line_done()) {
      const std::string_view text = in_.token("a corner");
      std::string_view part[3];
      size_t begin = 0;
      for (int k = 0; k < 3 && begin <= text.size(); ++k) {
        const size_t end = std::min(text.find('/', begin), text.size());
        part[k] = text.substr(begin, end - begin);
        begin = end + 1;
      }
      if (part[0].empty() || begin <= text.size()) in_.fail(fmt::format("\"{:.40}\" is no corner of a face", text));
      face.push_back({read_index(part[0], mesh_.vertices.size(), "vertex"),
                      read_index(part[1], uvs_.size(), "texture coordinate"),
                      read_index(part[2], normals_.size(), "normal")});
    }
    if (face.size() < 3) in_.fail("a face needs three corners", "The file may be truncated.");
    report.polygons += face.size() > 3;
    face_lines_.push_back(in_.line());
    if (now_ < 0) {
      now_ = static_cast<int>(memberships_.size());
      memberships_.emplace_back(object_);
      for (const std::vector<int>* more : {&groups_, &material_})
        memberships_.back().insert(memberships_.back().end(), more->begin(), more->end());
    }
    face_membership_.push_back(now_);
    faces_.push_back(std::move(face));
  }

  void add_triangles() {
    for (size_t f = 0; f < faces_.size(); ++f) {
      Points corners;
      for (const Corner& c : faces_[f]) {
        auto require = [&](int index, size_t n, const char* what) {
          if (index < static_cast<int>(n)) return;
          in_.fail_at_line(face_lines_[f], fmt::format("a face names {} {} of {}", what, index + 1, n));
        };
        require(c.v, mesh_.vertices.size(), "vertex");
        require(c.vt, uvs_.size(), "texture coordinate");
        require(c.vn, normals_.size(), "normal");
        corners.push_back(mesh_.vertices[c.v]);
      }
      for (const Tri& t : triangulate(corners)) {
        mesh_.triangles.push_back({faces_[f][t[0]].v, faces_[f][t[1]].v, faces_[f][t[2]].v});
      }
    }
  }

  // The texture coordinate and the normal of each vertex, where the faces agree.
  void add_attributes(ObjReport& report) {
    std::vector<int> uv(mesh_.vertices.size(), -1), normal(mesh_.vertices.size(), -1);
    std::vector<char> seam(mesh_.vertices.size(), 0);
    bool any_uv = false, all_normals = !faces_.empty();
    for (const auto& face : faces_) {
      for (const Corner& c : face) {
        if (c.vt >= 0) {
          any_uv = true;
          if (uv[c.v] < 0) uv[c.v] = c.vt;
          if (uvs_[uv[c.v]] != uvs_[c.vt]) seam[c.v] = 1;
        }
        if (c.vn < 0) {
          all_normals = false;
        } else if (normal[c.v] < 0) {
          normal[c.v] = c.vn;
        } else if (normals_[normal[c.v]] != normals_[c.vn]) {
          report.normals_dropped = true;
        }
      }
    }
    for (char s : seam) report.uv_seam_vertices += s;
    if (any_uv) {
      for (int i : uv) mesh_.uvs.push_back(i < 0 ? Eigen::Vector2d::Zero() : uvs_[i]);
    }
    if (!all_normals) report.normals_dropped |= !normals_.empty();
    if (report.normals_dropped || !all_normals) return;
    for (int i : normal) mesh_.normals.push_back(i < 0 ? Vec3::UnitZ() : normals_[i]);
  }

  InputFile in_;
  TriMesh mesh_;
  std::vector<Eigen::Vector2d> uvs_;
  Points normals_;
  std::vector<std::vector<Corner>> faces_;
  std::vector<int> face_lines_;
  std::vector<ObjPart> parts_;
  std::map<std::string, int> part_numbers_;
  std::vector<int> object_, groups_, material_;  // those in force, as numbers of parts
  int now_ = -1;                                 // the membership in force; -1: not listed yet
  std::vector<std::vector<int>> memberships_;    // sets of parts that faces are in
  std::vector<int> face_membership_;
};

}  // namespace

TriMesh read_obj(const std::string& path, ObjReport* report, std::vector<ObjPart>* parts) {
  ObjReport ignored;
  ObjReport& r = report ? *report : ignored;
  r = {};
  ObjReader reader(path);
  TriMesh mesh = reader.read(r, parts);
  if (report) r.split_vertices = reader.count_split_vertices();
  return mesh;
}

void write_obj(const std::string& path, const TriMesh& mesh) {
  OutputFile out(path);
  const bool colors = mesh.colors.size() == mesh.vertices.size(), uvs = mesh.uvs.size() == mesh.vertices.size();
  const bool normals = mesh.normals.size() == mesh.vertices.size();
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3& x = mesh.vertices[i];
    out.print("v {} {} {}", x[0], x[1], x[2]);
    if (colors) out.print(" {} {} {}", mesh.colors[i][0], mesh.colors[i][1], mesh.colors[i][2]);
    out.print("\n");
  }
  if (uvs) {
    for (const auto& t : mesh.uvs) out.print("vt {} {}\n", t[0], t[1]);
  }
  if (normals) {
    for (const Vec3& n : mesh.normals) out.print("vn {} {} {}\n", n[0], n[1], n[2]);
  }
  for (const Tri& t : mesh.triangles) {
    out.print("f");
    for (int v : t) {
      const int i = v + 1;
      if (uvs && normals) {
        out.print(" {}/{}/{}", i, i, i);
      } else if (uvs) {
        out.print(" {}/{}", i, i);
      } else if (normals) {
        out.print(" {}//{}", i, i);
      } else {
        out.print(" {}", i);
      }
    }
    out.print("\n");
  }
  out.commit();
}

}  // namespace supple
