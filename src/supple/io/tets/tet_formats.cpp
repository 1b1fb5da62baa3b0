#include "supple/io/tets/tet_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/io/formats.h"
#include "supple/io/tets/tet_codecs.h"
#include "supple/io/tets/vtu.h"

namespace supple {

namespace codec {

void set_regions(TetMesh& mesh, const std::vector<int>& tags, const std::map<int, std::string>& names) {
  const bool any = std::any_of(tags.begin(), tags.end(), [](int t) { return t != 0; });
  if (!any && names.empty()) return;
  std::map<int, int> index;
  for (int t : tags) index[t] = 0;
  for (const auto& [tag, name] : names) index[tag] = 0;
  for (auto& [tag, region] : index) {
    region = static_cast<int>(mesh.region_names.size());
    const auto named = names.find(tag);
    mesh.region_names.push_back(named != names.end() ? named->second : std::to_string(tag));
  }
  for (int t : tags) mesh.tet_region.push_back(index[t]);
}

int n_regions(const TetMesh& mesh) {
  int n = static_cast<int>(mesh.region_names.size());
  for (int r : mesh.tet_region) n = std::max(n, r + 1);
  return n;
}

bool names_are_numbers(const TetMesh& mesh) {
  long long last = -1;
  for (const std::string& name : mesh.region_names) {
    long long value = 0;
    if (!parse_integer(name, value) || value <= last || value > INT_MAX || std::to_string(value) != name) return false;
    last = value;
  }
  return true;
}

std::vector<int> region_tags(const TetMesh& mesh) {
  const bool numbers = !mesh.region_names.empty() && names_are_numbers(mesh);
  std::vector<int> tags;
  for (int r = 0; r < n_regions(mesh); ++r) tags.push_back(numbers ? std::stoi(mesh.region_names[r]) : r + 1);
  return tags;
}

std::string region_name(const TetMesh& mesh, int region) {
  return mesh.region_names.empty() ? std::to_string(region + 1) : mesh.region_names[region];
}

int drop_middle_vertices(TetMesh& mesh, const std::vector<char>& middle) {
  std::vector<char> corner(mesh.vertices.size(), 0);
  for (const Tet& t : mesh.tets) {
    for (int v : t) corner[v] = 1;
  }
  std::vector<int> index(mesh.vertices.size(), -1);
  int kept = 0;
  for (size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (middle[v] && !corner[v]) continue;
    index[v] = kept;
    mesh.vertices[kept] = mesh.vertices[v];
    for (auto& [name, values] : mesh.vertex_maps) values[kept] = values[v];
    ++kept;
  }
  const int dropped = mesh.n_vertices() - kept;
  mesh.vertices.resize(kept);
  for (auto& [name, values] : mesh.vertex_maps) values.resize(kept);
  for (Tet& t : mesh.tets) {
    for (int& v : t) v = index[v];
  }
  return dropped;
}

std::string encode_name(const std::string& name) {
  std::string text;
  for (unsigned char c : name) {
    if (c <= ' ' || c == '"' || c == '%' || c >= 0x7f) {
      text += fmt::format("%{:02X}", c);
    } else {
      text += static_cast<char>(c);
    }
  }
  return text.empty() ? "%20" : text;
}

std::string decode_name(std::string_view text) {
  std::string name;
  auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      name += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
      i += 2;
    } else {
      name += text[i];
    }
  }
  return name;
}

}  // namespace codec

namespace {

// A mesh that is inconsistent in itself must not become a file that cannot be read.
void require_writable(const std::string& path, const TetMesh& mesh) {
  auto refuse = [&](const std::string& what) { throw InputError({path, 0, 0, ""}, "not written: " + what); };
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (!mesh.vertices[v].allFinite()) refuse(fmt::format("vertex {} is not finite", v));
  }
  for (int t = 0; t < mesh.n_tets(); ++t) {
    for (int v : mesh.tets[t]) {
      if (v < 0 || v >= mesh.n_vertices()) refuse(fmt::format("tet {} names vertex {}, which is not there", t, v));
    }
  }
  auto require_maps = [&](const auto& maps, size_t n, const char* of) {
    for (const auto& [name, values] : maps) {
      if (values.size() != n) refuse(fmt::format("map \"{}\" has {} values for {} {}", name, values.size(), n, of));
      for (double x : values) {
        if (!std::isfinite(x)) refuse(fmt::format("map \"{}\" has a value that is not finite", name));
      }
      if (name.find_first_of("\"\n\r") != std::string::npos) refuse(fmt::format("map name \"{}\"", name));
    }
  };
  require_maps(mesh.vertex_maps, mesh.vertices.size(), "vertices");
  require_maps(mesh.tet_maps, mesh.tets.size(), "tets");
  if (!mesh.tet_region.empty() && mesh.tet_region.size() != mesh.tets.size()) refuse("one region a tet is needed");
  for (int r : mesh.tet_region) {
    if (r < 0 || (!mesh.region_names.empty() && r >= static_cast<int>(mesh.region_names.size()))) {
      refuse(fmt::format("region {} has no name", r));
    }
  }
}

}  // namespace

TetMesh read_tet_mesh(const std::string& path, std::vector<std::string>* notes) {
  const std::string ext = extension(path);
  codec::Notes ignored;
  codec::Notes& n = notes ? *notes : ignored;
  if (ext == ".msh") return codec::read_gmsh(path, n);
  if (ext == ".node" || ext == ".ele") return codec::read_tetgen(path, n);
  if (ext == ".veg") return codec::read_vega(path, n);
  if (ext == ".mesh") return codec::read_medit(path, n);
  if (ext == ".vtk") return codec::read_vtk(path, n);
  throw InputError({path, 0, 0, ""}, fmt::format("no tet mesh can be read from \"{}\" files", ext),
                   "Use .msh, .node/.ele, .veg, .mesh or .vtk.");
}

void write_tet_mesh(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options) {
  const std::string ext = extension(path);
  codec::Notes ignored;
  codec::Notes& n = options.notes ? *options.notes : ignored;
  require_writable(path, mesh);
  if (ext == ".msh") return codec::write_gmsh(path, mesh, options);
  if (ext == ".node" || ext == ".ele") return codec::write_tetgen(path, mesh, n);
  if (ext == ".veg") return codec::write_vega(path, mesh, n);
  if (ext == ".mesh") return codec::write_medit(path, mesh, n);
  if (ext == ".vtk") return codec::write_vtk(path, mesh, options);
  if (ext == ".vtu") return write_vtu(path, mesh, {.binary = options.binary});
  throw InputError({path, 0, 0, ""}, fmt::format("no tet mesh can be written to \"{}\" files", ext),
                   "Use .msh, .node/.ele, .veg, .mesh, .vtk or .vtu.");
}

}  // namespace supple
