// The Gmsh MSH format, versions 2.x and 4.1, as its reference manual describes it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

// Nodes of an element type; 0: a type we do not know.
int nodes_of(long long type) {
  static constexpr int kNodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                   8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  if (type == 92) return 64;
  if (type == 93) return 125;
  return type >= 1 && type < static_cast<long long>(std::size(kNodes)) ? kNodes[type] : 0;
}
// Tets of any order list their corners first.
bool is_tet(long long type) { return type == 4 || type == 11 || (type >= 29 && type <= 31); }

// The sign of a group number is the orientation of the element in it.
int group_of(int tag) { return std::abs(std::max(tag, -INT_MAX)); }

struct Data {
  std::string name;
  bool of_nodes = true;
  std::vector<std::pair<long long, double>> values;
  int line = 0;
};

class GmshReader {
 public:
  GmshReader(const std::string& path, Notes& notes) : in_(path), notes_(notes) {}

  TetMesh read() {
    if (in_.done() || in_.peek() != "$MeshFormat") {
      in_.token("$MeshFormat");
      in_.fail("this is not a Gmsh file: it does not begin with $MeshFormat");
    }
    while (!in_.done()) {
      const std::string section(in_.token("a section"));
      if (section.size() < 2 || section[0] != '$')
        in_.fail(fmt::format("expected a $Section, not \"{:.40}\"", section));
      read_section(section.substr(1));
    }
    if (!have_nodes_) in_.fail("the file has no $Nodes section");
    if (!have_elements_) in_.fail("the file has no $Elements section");
    finish();
    return std::move(mesh_);
  }

 private:
  void read_section(const std::string& name) {
    if (name == "MeshFormat") {
      read_format();
    } else if (name == "PhysicalNames") {
      read_physical_names();
    } else if (name == "Entities") {
      read_entities();
    } else if (name == "Nodes") {
      if (have_nodes_) in_.fail("a second $Nodes section");
      have_nodes_ = true;
      v4_ ? read_nodes4() : read_nodes2();
    } else if (name == "Elements") {
      if (have_elements_) in_.fail("a second $Elements section");
      if (!have_nodes_) in_.fail("$Elements before $Nodes");
      have_elements_ = true;
      v4_ ? read_elements4() : read_elements2();
    } else if (name == "NodeData" || name == "ElementData") {
      read_data(name == "NodeData");
    } else {
      if (!in_.skip_past("$End" + name))
        in_.fail(fmt::format("${} has no $End{}", name, name), "The file may be truncated.");
      return;
    }
    const std::string_view end = in_.token("the end of the section");
    if (end != "$End" + name)
      in_.fail(fmt::format("expected $End{}, not \"{:.40}\"", name, end), "Check the counts above.");
  }

  void read_format() {
    const std::string version(in_.token("the version"));
    const long long binary = in_.integer("the file type", 0, 1);
    size_of_size_ = static_cast<int>(in_.integer("the data size", 4, 8));
    if (size_of_size_ != 4 && size_of_size_ != 8) in_.fail("the data size should be 4 or 8");
    v4_ = version == "4.1";
    if (!v4_ && version != "2" && version.substr(0, 2) != "2.") {
      in_.fail(fmt::format("version {:.20} of the Gmsh format is not read", version), "Save as version 4.1 or 2.2.");
    }
    binary_ = binary == 1;
    if (!binary_) return;
    in_.rest_of_line();
    in_.set_order(std::endian::little);
    const int one = in_.raw<int>("the byte-order mark");
    if (one != 1) in_.set_order(std::endian::big);
    if (one != 1 && in_order(one, std::endian::big) != 1) in_.fail("the byte-order mark is damaged");
  }

  // One value of a part that is text or bytes by the file's type.
  int read_int(const char* what) {
    return binary_ ? in_.raw<int>(what) : static_cast<int>(in_.integer(what, INT_MIN, INT_MAX));
  }
  long long read_size(const char* what) {
    if (!binary_) return in_.integer(what);
    return size_of_size_ == 8 ? in_.raw<long long>(what) : in_.raw<int>(what);
  }
  double read_double(const char* what) { return binary_ ? in_.raw_number<double>(what) : in_.number(what); }
  int read_count(const char* what, size_t text_bytes, size_t bytes) {
    return in_.checked_count(read_size(what), what, binary_ ? bytes : text_bytes);
  }
  void begin_bytes() {
    if (binary_) in_.rest_of_line();
  }

  void read_physical_names() {
    const int n = in_.count("the number of physical names", 5);
    for (int i = 0; i < n; ++i) {
      const long long dim = in_.integer("the dimension of a group", 0, 3);
      const int tag = static_cast<int>(in_.integer("the number of a group", INT_MIN, INT_MAX));
      const std::string name = quoted("the name of a group");
      if (dim == 3) names_[tag] = name;
    }
  }

  std::string quoted(const char* what) {
    if (in_.done()) in_.token(what);
    const std::string_view line = in_.rest_of_line();
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (begin == std::string_view::npos || begin == end) in_.fail(fmt::format("{} should be in quotes", what));
    return std::string(line.substr(begin + 1, end - begin - 1));
  }

  void read_entities() {
    begin_bytes();
    int counts[4];
    for (int& n : counts) n = read_count("the number of entities", 4, 12);
    for (int dim = 0; dim < 4; ++dim) {
      for (int i = 0; i < counts[dim]; ++i) {
        const int tag = read_int("the number of an entity");
        for (int k = 0; k < (dim == 0 ? 3 : 6); ++k) {
          // Bounds are not used, and some programs write infinite ones.
          if (binary_) {
            in_.raw<double>("the bounds of an entity");
          } else {
            in_.token("the bounds of an entity");
          }
        }
        const int n_groups = read_count("the number of groups of an entity", 2, 4);
        for (int g = 0; g < n_groups; ++g) {
          const int group = group_of(read_int("a group of an entity"));
          if (dim == 3 && g == 0) group_of_volume_[tag] = group;
        }
        if (dim == 0) continue;
        const int n_bounding = read_count("the number of bounding entities", 2, 4);
        for (int b = 0; b < n_bounding; ++b) read_int("a bounding entity");
      }
    }
  }

  void add_node(long long tag, const Vec3& x) {
    if (!node_index_.emplace(tag, mesh_.n_vertices()).second) in_.fail(fmt::format("node {} is given twice", tag));
    mesh_.vertices.push_back(x);
  }
  Vec3 read_point() {
    const double x = read_double("a coordinate"), y = read_double("a coordinate"), z = read_double("a coordinate");
    return {x, y, z};
  }

  void read_nodes2() {
    const int n = in_.count("the number of nodes", binary_ ? 28 : 8);
    begin_bytes();
    for (int i = 0; i < n; ++i) {
      const int tag = read_int("a node number");
      add_node(tag, read_point());
    }
  }

  void read_nodes4() {
    begin_bytes();
    const int n_blocks = read_count("the number of node blocks", 8, 12);
    const int n = read_count("the number of nodes", 8, 32);
    read_size("the smallest node number");
    read_size("the largest node number");
    for (int b = 0; b < n_blocks; ++b) {
      const int dim = read_int("the dimension of a node block");
      if (dim < 0 || dim > 3) in_.fail("the dimension of a node block should be 0 to 3");
      read_int("the entity of a node block");
      const int n_parameters = read_int("the parametric flag") != 0 ? dim : 0;
      const int n_block = read_count("the number of nodes of a block", 8, 32);
      std::vector<long long> tags(n_block);
      for (long long& tag : tags) tag = read_size("a node number");
      for (long long tag : tags) {
        add_node(tag, read_point());
        for (int k = 0; k < n_parameters; ++k) read_double("a parameter of a node");
      }
    }
    if (mesh_.n_vertices() != n) in_.fail(fmt::format("{} nodes are announced, {} are there", n, mesh_.n_vertices()));
  }

  int vertex(long long tag) const {
    const auto found = node_index_.find(tag);
    if (found == node_index_.end()) in_.fail(fmt::format("an element names node {}, which is not there", tag));
    return found->second;
  }

  // The nodes of one element; a tet is kept.
  template <class ReadTag>
  void take_element(long long tag, int type, int group, int n_nodes, ReadTag&& read_tag) {
    if (!is_tet(type)) {
      ++n_skipped_;
      element_index_[tag] = -1;
      for (int left = n_nodes; left > 0; --left) read_tag();
      return;
    }
    Tet tet{};
    for (int k = 0; k < n_nodes; ++k) {
      const int v = vertex(read_tag());
      if (k < 4) {
        tet[k] = v;
      } else {
        middle_.resize(mesh_.vertices.size(), 0);
        middle_[v] = 1;
      }
    }
    mesh_.tets.push_back(tet);
    element_tags_.push_back(tag);
    groups_.push_back(group);
  }

  // The first tag of an element is its physical group.
  int read_tags(int n) {
    int group = 0;
    for (int t = 0; t < n; ++t) {
      const int value = read_int("a tag");
      if (t == 0) group = group_of(value);
    }
    return group;
  }

  void read_elements2() {
    const int n = in_.count("the number of elements", binary_ ? 8 : 6);
    begin_bytes();
    if (binary_) {
      for (int left = n; left > 0;) left -= read_block2(left);
      return;
    }
    for (int i = 0; i < n; ++i) {
      const long long tag = in_.integer("an element number");
      const int type = static_cast<int>(in_.integer("an element type", 1, INT_MAX));
      const int group = read_tags(in_.count("the number of tags", 2));
      const int n_nodes = is_tet(type) ? nodes_of(type) : 0;
      take_element(tag, type, group, n_nodes, [&] { return in_.integer("a node of an element"); });
      if (!is_tet(type)) in_.rest_of_line();
    }
  }

  // A run of elements of one type; returns how many.
  int read_block2(int at_most) {
    const int type = in_.raw<int>("an element type");
    const int n_nodes = known_nodes(type);
    const int n = in_.raw<int>("the length of an element block");
    if (n < 1 || n > at_most) in_.fail("an element block has a wrong length");
    const int n_tags = in_.checked_count(in_.raw<int>("the number of tags"), "the number of tags", 4);
    for (int i = 0; i < n; ++i) {
      const int tag = in_.raw<int>("an element number");
      const int group = read_tags(n_tags);
      take_element(tag, type, group, n_nodes, [&] { return in_.raw<int>("a node of an element"); });
    }
    return n;
  }

  int known_nodes(int type) const {
    const int n = nodes_of(type);
    if (n == 0) in_.fail(fmt::format("element type {} is not known", type), "Save the mesh as text, or only its tets.");
    return n;
  }

  void read_elements4() {
    begin_bytes();
    const int n_blocks = read_count("the number of element blocks", 8, 20);
    const int n = read_count("the number of elements", 4, 16);
    read_size("the smallest element number");
    read_size("the largest element number");
    long long found = 0;
    for (int b = 0; b < n_blocks; ++b) {
      const int dim = read_int("the dimension of an element block");
      const int entity = read_int("the entity of an element block");
      const int type = read_int("an element type");
      const int n_here = read_count("the number of elements of a block", 4, 16);
      int group = 0;
      if (const auto g = group_of_volume_.find(entity); dim == 3 && g != group_of_volume_.end()) group = g->second;
      const int n_nodes = binary_ || is_tet(type) ? known_nodes(type) : 0;
      for (int i = 0; i < n_here; ++i) {
        const long long tag = read_size("an element number");
        take_element(tag, type, group, n_nodes, [&] { return read_size("a node of an element"); });
        if (!binary_ && !is_tet(type)) in_.rest_of_line();
      }
      found += n_here;
    }
    if (found != n) in_.fail(fmt::format("{} elements are announced, {} are there", n, found));
  }

  void read_data(bool of_nodes) {
    Data data;
    data.of_nodes = of_nodes;
    const int n_strings = in_.count("the number of string tags", 3);
    for (int i = 0; i < n_strings; ++i) {
      const std::string text = quoted("a string tag");
      if (i == 0) data.name = text;
    }
    const int n_reals = in_.count("the number of real tags", 2);
    for (int i = 0; i < n_reals; ++i) in_.token("a real tag");
    const int n_integers = in_.count("the number of integer tags", 2);
    long long tags[3] = {0, 1, 0};
    if (n_integers < 3) in_.fail("data needs three integer tags: step, components, values");
    for (int i = 0; i < n_integers; ++i) {
      const long long value = in_.integer("an integer tag");
      if (i < 3) tags[i] = value;
    }
    const int n_components = in_.checked_count(tags[1], "the number of components", 1);
    const int n = in_.checked_count(tags[2], "the number of values", binary_ ? 12 : 4);
    begin_bytes();
    for (int i = 0; i < n; ++i) {
      const int tag = read_int("the number of a value");
      for (int c = 0; c < n_components; ++c) {
        const double value = read_double("a value");
        if (n_components == 1) data.values.emplace_back(tag, value);
      }
    }
    data.line = in_.line();
    if (n_components == 1) {
      data_.push_back(std::move(data));
    } else {
      notes_.push_back(
          fmt::format("{}: data \"{}\" has {} components and is left out", in_.path(), data.name, n_components));
    }
  }

  // Tets by their element number, which brings back the order of a mesh that was written by region.
  void sort_tets() {
    std::vector<int> order(mesh_.tets.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return element_tags_[a] < element_tags_[b]; });
    std::vector<Tet> tets;
    std::vector<int> groups;
    for (int i : order) {
      element_index_[element_tags_[i]] = static_cast<int>(tets.size());
      tets.push_back(mesh_.tets[i]);
      groups.push_back(groups_[i]);
    }
    mesh_.tets = std::move(tets);
    groups_ = std::move(groups);
  }

  void finish() {
    sort_tets();
    set_regions(mesh_, groups_, names_);
    for (const Data& d : data_) {
      const auto& index = d.of_nodes ? node_index_ : element_index_;
      std::vector<double> values(d.of_nodes ? mesh_.vertices.size() : mesh_.tets.size(), 0.0);
      size_t set = 0;
      for (const auto& [tag, value] : d.values) {
        const auto found = index.find(tag);
        if (found == index.end())
          in_.fail_at_line(d.line, fmt::format("data \"{}\" is for number {}, which is not there", d.name, tag));
        if (found->second < 0) continue;
        values[found->second] = value;
        ++set;
      }
      if (set < values.size()) {
        notes_.push_back(fmt::format("{}: data \"{}\" is 0 where it is not given", in_.path(), d.name));
      }
      (d.of_nodes ? mesh_.vertex_maps : mesh_.tet_maps)[d.name] = std::move(values);
    }
    if (n_skipped_ > 0)
      notes_.push_back(fmt::format("{}: {} elements that are no tets are left out", in_.path(), n_skipped_));
    if (!middle_.empty()) {
      const int dropped = drop_middle_vertices(mesh_, middle_);
      notes_.push_back(fmt::format("{}: higher-order tets are read by their corners; {} other nodes are left out",
                                   in_.path(), dropped));
    }
  }

  InputFile in_;
  Notes& notes_;
  TetMesh mesh_;
  bool v4_ = false, binary_ = false, have_nodes_ = false, have_elements_ = false;
  int size_of_size_ = 8;
  long long n_skipped_ = 0;
  std::unordered_map<long long, int> node_index_, element_index_;  // number in the file to ours; -1: no tet
  std::vector<long long> element_tags_;
  std::vector<int> groups_;
  std::vector<char> middle_;
  std::map<int, std::string> names_;
  std::map<int, int> group_of_volume_;
  std::vector<Data> data_;
};

}  // namespace

TetMesh read_gmsh(const std::string& path, Notes& notes) { return GmshReader(path, notes).read(); }

}  // namespace supple::codec
