// Lists of numbers, one a line; blank lines and # comments are allowed.
#pragma once
#include <string>
#include <vector>

namespace supple {

// Zero-based indices below `limit` (the number of things that can be named), each at most once.
std::vector<int> read_index_list(const std::string& path, int limit);
std::vector<double> read_scalar_list(const std::string& path);
void write_index_list(const std::string& path, const std::vector<int>& indices);
void write_scalar_list(const std::string& path, const std::vector<double>& values);

}  // namespace supple
