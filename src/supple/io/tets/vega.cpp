// VegaFEM's .veg: vertices, tets, sets, materials, and which set has which material.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "supple/base/reading_scope.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kMaxIncludes = 16;

struct Material {
  double density = kUnknown, youngs = kUnknown, poisson = kUnknown;
};

std::string upper(std::string_view text) {
  std::string s(text);
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::toupper(c); });
  return s;
}

class VegaReader {
 public:
  explicit VegaReader(Notes& notes) : notes_(notes) {}

  TetMesh read(const std::string& path) {
    path_ = path;
    read_file(path, 0);
    auto fail = [&](const std::string& what) {
      throw InputError({path, 0, 0, ""}, what, "The file may be truncated.");
    };
    if (!have_vertices_) fail("the file has no *VERTICES");
    if (!have_elements_) fail("the file has no *ELEMENTS");
    assign_regions();
    return std::move(mesh_);
  }

 private:
  void read_file(const std::string& path, int depth) {
    InputFile in(path, {.comment = '#', .commas_are_blanks = true, .numbers_need_an_end = true});
    if (depth > kMaxIncludes) in.fail("*INCLUDE goes too deep", "Does a file include itself?");
    while (!in.done()) {
      const std::string section = upper(in.token("a section"));
      if (section == "*VERTICES") {
        read_vertices(in);
      } else if (section == "*ELEMENTS") {
        read_elements(in);
      } else if (section == "*MATERIAL") {
        read_material(in);
      } else if (section == "*SET") {
        read_set(in);
      } else if (section == "*REGION") {
        read_regions(in);
      } else if (section == "*INCLUDE") {
        const std::filesystem::path beside = std::filesystem::path(path).parent_path();
        const std::string included = (beside / std::string(in.token("a file name"))).string();
        reading_scope().require(included, std::filesystem::path(path_).parent_path().string(),
                                {path, in.line(), 0, ""});
        read_file(included, depth + 1);
      } else {
        in.fail(fmt::format("expected a *SECTION, not \"{:.40}\"", section), "Check the counts above.");
      }
    }
  }

  void read_vertices(InputFile& in) {
    if (have_vertices_) in.fail("a second *VERTICES");
    have_vertices_ = true;
    const int n = in.count("the number of vertices", 8);
    if (in.integer("the dimension") != 3) in.fail("only vertices of dimension 3 can be read");
    in.rest_of_line();
    for (int i = 0; i < n; ++i) {
      const long long number = in.integer("a vertex number");
      if (i == 0) first_vertex_ = number;
      if (first_vertex_ != 0 && first_vertex_ != 1) in.fail("the first vertex should have number 0 or 1");
      if (number != first_vertex_ + i)
        in.fail(fmt::format("vertex {} should have number {}", number, first_vertex_ + i));
      Vec3 x;
      for (int k = 0; k < 3; ++k) x[k] = in.number("a coordinate");
      mesh_.vertices.push_back(x);
    }
  }

  void read_elements(InputFile& in) {
    if (have_elements_) in.fail("a second *ELEMENTS");
    if (!have_vertices_) in.fail("*ELEMENTS before *VERTICES");
    have_elements_ = true;
    const std::string kind = upper(in.token("the kind of elements"));
    if (kind != "TET" && kind != "TETS")
      in.fail(fmt::format("elements of kind \"{:.20}\" are not read", kind), "Only TET is.");
    const int n = in.count("the number of elements", 10);
    if (in.integer("the vertices of an element") != 4) in.fail("a tet should have 4 vertices");
    in.rest_of_line();
    for (int i = 0; i < n; ++i) {
      const long long number = in.integer("an element number");
      if (i == 0) first_element_ = number;
      if (number != first_element_ + i)
        in.fail(fmt::format("element {} should have number {}", number, first_element_ + i));
      Tet tet;
      for (int& v : tet) {
        const long long given = in.integer("a vertex of a tet"), index = given - first_vertex_;
        if (index < 0 || index >= mesh_.n_vertices())
          in.fail(fmt::format("a tet names vertex {}, which is not there", given));
        v = static_cast<int>(index);
      }
      mesh_.tets.push_back(tet);
    }
  }

  void read_material(InputFile& in) {
    const std::string name(in.token("the name of a material"));
    const std::string kind = upper(in.token("the kind of a material"));
    Material m;
    m.density = in.number("the density");
    if (kind == "ENU") {
      m.youngs = in.number("Young's modulus");
      m.poisson = in.number("Poisson's ratio");
    } else if (kind == "MOONEY") {
      // mu01, mu10 and v1: at small strain a shear modulus of 2 (mu01 + mu10) and a bulk modulus of v1.
      const double a = in.number("mu01"), b = in.number("mu10"), bulk = in.number("v1");
      const double shear = 2 * (a + b);
      if (!(shear > 0) || !(bulk > 0)) in.fail("the moduli of a Mooney material should be positive");
      m.youngs = 9 * bulk * shear / (3 * bulk + shear);
      m.poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
      notes_.push_back(fmt::format("{}: Mooney material {} is read by its moduli at small strain", in.path(), name));
    } else {
      in.rest_of_line();
      notes_.push_back(fmt::format("{}: of the {} material {} only the density is read", in.path(), kind, name));
    }
    materials_[name] = m;
  }

  void read_set(InputFile& in) {
    const std::string name(in.token("the name of a set"));
    if (!have_elements_) in.fail("*SET before *ELEMENTS");
    std::vector<int>& set = sets_[name];
    set_order_.push_back(name);
    while (!in.done() && in.peek()[0] != '*') {
      const long long given = in.integer("an element of a set"), index = given - first_element_;
      if (index < 0 || index >= mesh_.n_tets())
        in.fail(fmt::format("a set names element {}, which is not there", given));
      set.push_back(static_cast<int>(index));
    }
  }

  void read_regions(InputFile& in) {
    while (!in.done() && in.peek()[0] != '*') {
      const std::string set(in.token("a set"));
      if (set != "allElements" && sets_.count(set) == 0) in.fail(fmt::format("no set has the name \"{:.40}\"", set));
      if (in.line_done()) in.fail("a region needs a set and a material");
      const std::string material(in.token("a material"));
      if (materials_.count(material) == 0) in.fail(fmt::format("no material has the name \"{:.40}\"", material));
      regions_.emplace_back(set, material);
    }
  }

  // Later regions win over earlier ones; without any the sets themselves are the regions.
  void assign_regions() {
    std::vector<int> of_tet(mesh_.tets.size(), -1);
    std::vector<Material> materials;
    auto add = [&](const std::string& name, const std::vector<int>* set, const Material& m) {
      const int region = static_cast<int>(mesh_.region_names.size());
      mesh_.region_names.push_back(name);
      materials.push_back(m);
      if (set) {
        for (int t : *set) of_tet[t] = region;
      } else {
        std::fill(of_tet.begin(), of_tet.end(), region);
      }
    };
    for (const auto& [set, material] : regions_) {
      const bool all = set == "allElements";
      add(all ? material : set, all ? nullptr : &sets_[set], materials_[material]);
    }
    if (regions_.empty()) {
      for (const std::string& set : set_order_) add(set, &sets_[set], {});
    }
    if (mesh_.region_names.empty()) return;
    if (std::find(of_tet.begin(), of_tet.end(), -1) != of_tet.end()) {
      std::replace(of_tet.begin(), of_tet.end(), -1, static_cast<int>(mesh_.region_names.size()));
      mesh_.region_names.push_back("rest");
      materials.emplace_back();
    }
    mesh_.tet_region = of_tet;
    keep_map("youngs_modulus", materials, &Material::youngs);
    keep_map("poisson_ratio", materials, &Material::poisson);
    keep_map("density", materials, &Material::density);
  }

  void keep_map(const char* name, const std::vector<Material>& materials, double Material::*member) {
    std::vector<double> values;
    for (int r : mesh_.tet_region) values.push_back(materials[r].*member);
    const auto known = std::count_if(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    if (known == 0) return;
    if (known == static_cast<std::ptrdiff_t>(values.size())) {
      mesh_.tet_maps[name] = std::move(values);
    } else {
      notes_.push_back(fmt::format("{}: {} is known for some tets only and is left out", path_, name));
    }
  }

  Notes& notes_;
  std::string path_;
  TetMesh mesh_;
  bool have_vertices_ = false, have_elements_ = false;
  long long first_vertex_ = 1, first_element_ = 1;
  std::map<std::string, Material> materials_;
  std::map<std::string, std::vector<int>> sets_;
  std::vector<std::string> set_order_;
  std::vector<std::pair<std::string, std::string>> regions_;
};

// The map's value over a region; the mean, and a note, when it varies.
std::optional<double> region_value(const TetMesh& mesh, const char* map, int region, Notes& notes) {
  const auto found = mesh.tet_maps.find(map);
  if (found == mesh.tet_maps.end()) return std::nullopt;
  double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  int n = 0;
  for (int t = 0; t < mesh.n_tets(); ++t) {
    if (!mesh.tet_region.empty() && mesh.tet_region[t] != region) continue;
    const double x = found->second[t];
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
    ++n;
  }
  if (n == 0) return std::nullopt;
  if (low == high) return low;
  notes.push_back(fmt::format("{} varies within region {}: its mean is written", map, region_name(mesh, region)));
  return sum / n;
}

std::string one_word(std::string name) {
  for (char& c : name) {
    if (c <= ' ' || c == ',' || c == '#' || c == '*') c = '_';
  }
  return name.empty() ? "region" : name;
}

}  // namespace

TetMesh read_vega(const std::string& path, Notes& notes) { return VegaReader(notes).read(path); }

void write_vega(const std::string& path, const TetMesh& mesh, Notes& notes) {
  OutputFile out(path);
  out.print("*VERTICES\n{} 3 0 0\n", mesh.n_vertices());
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& x = mesh.vertices[v];
    out.print("{} {} {} {}\n", v + 1, x[0], x[1], x[2]);
  }
  out.print("\n*ELEMENTS\nTET\n{} 4 0\n", mesh.n_tets());
  for (int t = 0; t < mesh.n_tets(); ++t) {
    const auto& [a, b, c, d] = mesh.tets[t];
    out.print("{} {} {} {} {}\n", t + 1, a + 1, b + 1, c + 1, d + 1);
  }
  std::string regions;
  const bool named = !mesh.tet_region.empty();
  for (int r = 0; r < (named ? n_regions(mesh) : 1); ++r) {
    const std::string name = named ? one_word(region_name(mesh, r)) : "tissue";
    if (named) {
      out.print("\n*SET {}\n", name);
      for (int t = 0; t < mesh.n_tets(); ++t) {
        if (mesh.tet_region[t] == r) out.print("{},\n", t + 1);
      }
    }
    const auto density = region_value(mesh, "density", r, notes),
               youngs = region_value(mesh, "youngs_modulus", r, notes);
    const auto poisson = region_value(mesh, "poisson_ratio", r, notes);
    if (!density || !youngs || !poisson) continue;
    out.print("\n*MATERIAL {}\nENU, {}, {}, {}\n", name, *density, *youngs, *poisson);
    regions += fmt::format("{}, {}\n", named ? name : "allElements", name);
  }
  if (!regions.empty()) out.print("\n*REGION\n{}", regions);
  out.print("\n");
  out.commit();
  const auto is_modulus = [](const auto& m) {
    return m.first == "density" || m.first == "youngs_modulus" || m.first == "poisson_ratio";
  };
  const bool other_maps = !std::all_of(mesh.tet_maps.begin(), mesh.tet_maps.end(), is_modulus);
  if (!mesh.vertex_maps.empty() || other_maps)
    notes.push_back(path + ": the format has no maps but those of materials");
}

}  // namespace supple::codec
