// VTK legacy unstructured grids up to version 5.1, text or (big-endian) binary.
#include <fmt/format.h>

#include <cmath>

#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

constexpr int kTet = 10, kQuadraticTet = 24;

int size_of(std::string_view type) {
  if (type == "double" || type == "vtktypeint64" || type == "long" || type == "unsigned_long" ||
      type == "vtktypeuint64") {
    return 8;
  }
  if (type == "float" || type == "int" || type == "unsigned_int" || type == "vtkIdType" || type == "vtktypeint32" ||
      type == "vtktypeuint32") {
    return 4;
  }
  if (type == "short" || type == "unsigned_short") return 2;
  if (type == "char" || type == "unsigned_char") return 1;
  return 0;
}

class VtkReader {
 public:
  VtkReader(const std::string& path, Notes& notes) : in_(path, {.numbers_need_an_end = true}), notes_(notes) {
    in_.set_order(std::endian::big);
  }

  TetMesh read() {
    read_header();
    while (!in_.done()) {
      const std::string keyword(in_.token("a keyword"));
      if (keyword == "POINTS") {
        read_points();
      } else if (keyword == "CELLS") {
        read_cells();
      } else if (keyword == "CELL_TYPES") {
        read_types();
      } else if (keyword == "POINT_DATA" || keyword == "CELL_DATA") {
        of_points_ = keyword == "POINT_DATA";
        const int n = in_.count("the number of values", 0);
        n_data_ = of_points_ ? mesh_.n_vertices() : static_cast<int>(cells_.size());
        if (n != n_data_) in_.fail(fmt::format("{} values for {} items", n, n_data_));
        in_data_ = true;
      } else {
        read_attribute(keyword);
      }
    }
    if (!have_points_) in_.fail("the file has no POINTS", "It may be truncated.");
    if (!have_cells_) in_.fail("the file has no CELLS", "It may be truncated.");
    if (!have_types_) in_.fail("the file has no CELL_TYPES", "It may be truncated.");
    finish();
    return std::move(mesh_);
  }

 private:
  void read_header() {
    const std::string_view first = in_.rest_of_line();
    if (first.substr(0, 22) != "# vtk DataFile Version")
      in_.fail("this is not a legacy VTK file: its first line should say so");
    in_.rest_of_line();
    const std::string_view kind = in_.token("ASCII or BINARY");
    if (kind != "ASCII" && kind != "BINARY") in_.fail("the third line should be ASCII or BINARY");
    binary_ = kind == "BINARY";
    if (in_.token("DATASET") != "DATASET") in_.fail("the fourth line should be DATASET UNSTRUCTURED_GRID");
    if (in_.token("the kind of data") != "UNSTRUCTURED_GRID") in_.fail("only an UNSTRUCTURED_GRID holds tets");
  }

  template <class T>
  void read_raw(std::vector<double>& values, const char* what) {
    for (double& x : values) x = in_.raw_number<T>(what);
  }

  // n values of a VTK type; text or bytes.
  std::vector<double> read_values(long long n, const std::string& type, const char* what) {
    const int size = size_of(type);
    if (size == 0) in_.fail(fmt::format("values of type \"{:.20}\" are not read", type));
    if (binary_) in_.rest_of_line();
    std::vector<double> values(in_.checked_count(n, what, binary_ ? static_cast<size_t>(size) : 2));
    if (!binary_) {
      for (double& x : values) x = in_.number(what);
      return values;
    }
    in_.need(values.size() * static_cast<size_t>(size), what);
    const bool is_unsigned = type.substr(0, 8) == "unsigned" || type == "vtktypeuint64" || type == "vtktypeuint32";
    if (type == "double")
      read_raw<double>(values, what);
    else if (type == "float")
      read_raw<float>(values, what);
    else if (size == 8)
      is_unsigned ? read_raw<uint64_t>(values, what) : read_raw<int64_t>(values, what);
    else if (size == 4)
      is_unsigned ? read_raw<uint32_t>(values, what) : read_raw<int32_t>(values, what);
    else if (size == 2)
      is_unsigned ? read_raw<uint16_t>(values, what) : read_raw<int16_t>(values, what);
    else
      is_unsigned ? read_raw<uint8_t>(values, what) : read_raw<int8_t>(values, what);
    return values;
  }

  std::vector<long long> read_integers(long long n, const std::string& type, const char* what) {
    std::vector<long long> integers;
    for (double x : read_values(n, type, what)) {
      if (x != std::rint(x) || std::abs(x) > 1e15) in_.fail(fmt::format("{} should be a whole number", what));
      integers.push_back(static_cast<long long>(x));
    }
    return integers;
  }

  void read_points() {
    if (have_points_) in_.fail("a second POINTS");
    have_points_ = true;
    const int n = in_.count("the number of points", 3);
    const std::string type(in_.token("the type of the points"));
    const std::vector<double> values = read_values(3LL * n, type, "a coordinate");
    for (int i = 0; i < n; ++i) mesh_.vertices.emplace_back(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
  }

  void read_cells() {
    if (have_cells_) in_.fail("a second CELLS");
    have_cells_ = true;
    const int first = in_.count("the number of cells", 1), second = in_.count("the size of the cells", 1);
    // Bytes of a binary file may look like anything: only the start of the very next line counts.
    if (!in_.next_line_starts_with("OFFSETS")) {
      // A count before the vertices of each cell.
      const std::vector<long long> list = read_integers(second, "int", "a cell");
      size_t at = 0;
      for (int c = 0; c < first; ++c) {
        if (at >= list.size() || list[at] < 0 || static_cast<size_t>(list[at]) > list.size() - at - 1) {
          in_.fail(fmt::format("cell {} does not fit in the size given for the cells", c));
        }
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        cells_.emplace_back(begin, begin + list[at]);
        at += static_cast<size_t>(list[at]) + 1;
      }
      if (at != list.size()) in_.fail("the cells are shorter than the size given for them");
      return;
    }
    in_.token("OFFSETS");
    const std::vector<long long> offsets = read_integers(first, std::string(in_.token("a type")), "an offset");
    if (in_.token("CONNECTIVITY") != "CONNECTIVITY") in_.fail("CONNECTIVITY should follow OFFSETS");
    const std::vector<long long> list = read_integers(second, std::string(in_.token("a type")), "a vertex of a cell");
    for (size_t c = 0; c + 1 < offsets.size(); ++c) {
      if (offsets[c] < 0 || offsets[c] > offsets[c + 1] || offsets[c + 1] > second) {
        in_.fail(fmt::format("the offsets of cell {} are wrong", c));
      }
      cells_.emplace_back(list.begin() + offsets[c], list.begin() + offsets[c + 1]);
    }
  }

  void read_types() {
    if (!have_cells_) in_.fail("CELL_TYPES before CELLS");
    have_types_ = true;
    const int n = in_.count("the number of cell types", 1);
    if (n != static_cast<int>(cells_.size())) in_.fail(fmt::format("{} types for {} cells", n, cells_.size()));
    types_ = read_integers(n, "int", "a cell type");
  }

  void keep(const std::string& name, int components, std::vector<double> values) {
    if (components != 1) {
      notes_.push_back(fmt::format("{}: array \"{}\" has {} components and is left out", in_.path(), name, components));
    } else {
      (of_points_ ? point_arrays_ : cell_arrays_)[name] = std::move(values);
    }
  }

  void read_attribute(const std::string& keyword) {
    if (keyword == "METADATA") {
      in_.rest_of_line();
      while (in_.remaining() > 0 && !in_.rest_of_line().empty()) continue;  // to the first empty line
    } else if (keyword == "FIELD") {
      read_field();
    } else if (!in_data_) {
      in_.fail(fmt::format("expected a keyword of an unstructured grid, not \"{:.40}\"", keyword),
               "Check the counts above.");
    } else if (keyword == "SCALARS") {
      const std::string name = decode_name(in_.token("a name")), type(in_.token("a type"));
      const int components = in_.line_done() ? 1 : static_cast<int>(in_.integer("the number of components", 1, 4));
      if (in_.token("LOOKUP_TABLE") != "LOOKUP_TABLE") in_.fail("LOOKUP_TABLE should follow SCALARS");
      in_.token("a table name");
      keep(name, components, read_values(static_cast<long long>(components) * n_data_, type, "a value"));
    } else if (keyword == "VECTORS" || keyword == "NORMALS" || keyword == "TENSORS") {
      const std::string name = decode_name(in_.token("a name")), type(in_.token("a type"));
      const int components = keyword == "TENSORS" ? 9 : 3;
      keep(name, components, read_values(static_cast<long long>(components) * n_data_, type, "a value"));
    } else if (keyword == "TEXTURE_COORDINATES") {
      const std::string name = decode_name(in_.token("a name"));
      const int components = static_cast<int>(in_.integer("the number of components", 1, 3));
      const std::string type(in_.token("a type"));
      keep(name, components, read_values(static_cast<long long>(components) * n_data_, type, "a value"));
    } else if (keyword == "COLOR_SCALARS") {
      const std::string name = decode_name(in_.token("a name"));
      const int components = static_cast<int>(in_.integer("the number of components", 1, 4));
      keep(name, components, read_values(static_cast<long long>(components) * n_data_, color_type(), "a value"));
    } else if (keyword == "LOOKUP_TABLE") {
      in_.token("a name");
      const int n = in_.count("the size of the table", 1);
      read_values(4LL * n, color_type(), "a colour");
    } else {
      in_.fail(fmt::format("\"{:.40}\" is not known here", keyword), "Check the counts above.");
    }
  }

  std::string color_type() const { return binary_ ? "unsigned_char" : "float"; }

  void read_field() {
    in_.token("the name of a field");
    const int n_arrays = in_.count("the number of arrays", 4);
    for (int a = 0; a < n_arrays; ++a) {
      while (!in_.done() && in_.peek() == "METADATA") {
        in_.token("METADATA");
        read_attribute("METADATA");
      }
      const std::string name = decode_name(in_.token("the name of an array"));
      const int components = in_.count("the number of components", 0);
      const int n = in_.count("the number of tuples", 0);
      const std::string type(in_.token("a type"));
      if (type == "string") {
        in_.rest_of_line();
        const long long total = static_cast<long long>(components) * n;
        std::vector<std::string> strings;
        for (long long i = 0; i < total; ++i) {
          if (in_.remaining() == 0) in_.token("a text");
          strings.push_back(decode_name(in_.rest_of_line()));
        }
        if (name == "region_names" && !in_data_) mesh_.region_names = std::move(strings);
        continue;
      }
      std::vector<double> values = read_values(static_cast<long long>(components) * n, type, "a value");
      if (!in_data_) continue;
      if (n != n_data_) in_.fail(fmt::format("array \"{}\" has {} values for {} items", name, n, n_data_));
      keep(name, components, std::move(values));
    }
  }

  void finish() {
    std::vector<char> middle;
    std::vector<int> kept;
    for (size_t c = 0; c < cells_.size(); ++c) {
      const long long type = types_[c];
      if (type != kTet && type != kQuadraticTet) continue;
      if (cells_[c].size() != (type == kTet ? 4u : 10u))
        in_.fail(fmt::format("cell {} has a wrong number of vertices", c));
      Tet tet{};
      for (size_t k = 0; k < cells_[c].size(); ++k) {
        const long long v = cells_[c][k];
        if (v < 0 || v >= mesh_.n_vertices())
          in_.fail(fmt::format("cell {} names vertex {}, which is not there", c, v));
        if (k < 4) {
          tet[k] = static_cast<int>(v);
        } else {
          middle.resize(mesh_.vertices.size(), 0);
          middle[static_cast<size_t>(v)] = 1;
        }
      }
      mesh_.tets.push_back(tet);
      kept.push_back(static_cast<int>(c));
    }
    mesh_.vertex_maps = std::move(point_arrays_);
    for (auto& [name, values] : cell_arrays_) {
      std::vector<double>& mine = mesh_.tet_maps[name];
      for (int c : kept) mine.push_back(values[c]);
    }
    take_region();
    const size_t n_skipped = cells_.size() - kept.size();
    if (n_skipped > 0)
      notes_.push_back(fmt::format("{}: {} cells that are no tets are left out", in_.path(), n_skipped));
    if (!middle.empty()) {
      const int dropped = drop_middle_vertices(mesh_, middle);
      notes_.push_back(
          fmt::format("{}: 10-node tets are read by their corners; {} other points are left out", in_.path(), dropped));
    }
  }

  // The array "region" holds indices when the names are there too, else any whole numbers.
  void take_region() {
    std::vector<std::string> names = std::move(mesh_.region_names);
    mesh_.region_names.clear();
    const auto found = mesh_.tet_maps.find("region");
    if (found == mesh_.tet_maps.end()) return;
    std::vector<int> tags;
    for (double x : found->second) {
      if (x != std::rint(x) || std::abs(x) > 1e9) return;
      if (!names.empty() && (x < 0 || x >= static_cast<double>(names.size()))) return;
      tags.push_back(static_cast<int>(x));
    }
    mesh_.tet_maps.erase(found);
    if (names.empty()) {
      set_regions(mesh_, tags);
    } else {
      mesh_.tet_region = tags;
      mesh_.region_names = std::move(names);
    }
  }

  InputFile in_;
  Notes& notes_;
  TetMesh mesh_;
  bool binary_ = false, have_points_ = false, have_cells_ = false, have_types_ = false;
  bool in_data_ = false, of_points_ = true;
  int n_data_ = 0;
  std::vector<std::vector<long long>> cells_;
  std::vector<long long> types_;
  std::map<std::string, std::vector<double>> point_arrays_, cell_arrays_;
};

}  // namespace

TetMesh read_vtk(const std::string& path, Notes& notes) { return VtkReader(path, notes).read(); }

}  // namespace supple::codec
