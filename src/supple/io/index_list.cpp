#include "supple/io/index_list.h"

#include <unordered_set>

#include "supple/io/input_file.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

template <class Read>
void read_lines(InputFile& in, Read&& read) {
  while (!in.done()) {
    read();
    if (in.line_done()) continue;
    in.token("the end of the line");
    in.fail("there should be one number on a line");
  }
}

}  // namespace

std::vector<int> read_index_list(const std::string& path, int limit) {
  InputFile in(path, {.comment = '#'});
  std::vector<int> indices;
  std::unordered_set<int> seen;
  read_lines(in, [&] {
    const long long i = in.integer("an index");
    if (i < 0 || i >= limit)
      in.fail(fmt::format("index {} is outside 0 .. {}", i, limit - 1), "Indices count from zero.");
    if (!seen.insert(static_cast<int>(i)).second) in.fail(fmt::format("index {} is given twice", i));
    indices.push_back(static_cast<int>(i));
  });
  return indices;
}

std::vector<double> read_scalar_list(const std::string& path) {
  InputFile in(path, {.comment = '#'});
  std::vector<double> values;
  read_lines(in, [&] { values.push_back(in.number("a value")); });
  return values;
}

void write_index_list(const std::string& path, const std::vector<int>& indices) {
  OutputFile out(path);
  for (int i : indices) out.print("{}\n", i);
  out.commit();
}

void write_scalar_list(const std::string& path, const std::vector<double>& values) {
  OutputFile out(path);
  for (double x : values) out.print("{}\n", x);
  out.commit();
}

}  // namespace supple
