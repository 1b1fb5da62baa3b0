// The formats behind tet_formats.h, and what they share. Inside the room only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/io/input_file.h"
#include "supple/io/tets/tet_formats.h"

namespace supple::codec {

using Notes = std::vector<std::string>;

TetMesh read_gmsh(const std::string& path, Notes& notes);
void write_gmsh(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options);
TetMesh read_tetgen(const std::string& path, Notes& notes);
void write_tetgen(const std::string& path, const TetMesh& mesh, Notes& notes);
TetMesh read_vega(const std::string& path, Notes& notes);
void write_vega(const std::string& path, const TetMesh& mesh, Notes& notes);
TetMesh read_medit(const std::string& path, Notes& notes);
void write_medit(const std::string& path, const TetMesh& mesh, Notes& notes);
TetMesh read_vtk(const std::string& path, Notes& notes);
void write_vtk(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options);

// Regions from one number a tet: in ascending order of the numbers used or named. All zero and none named: no regions.
void set_regions(TetMesh& mesh, const std::vector<int>& tags, const std::map<int, std::string>& names = {});
// The number to write for each region: its name when the names are ascending whole numbers, else 1, 2, ...
std::vector<int> region_tags(const TetMesh& mesh);
bool names_are_numbers(const TetMesh& mesh);
int n_regions(const TetMesh& mesh);
std::string region_name(const TetMesh& mesh, int region);

// Removes the vertices `middle` marks unless they are the corner of a tet: the mid-edge nodes of higher-order tets.
// Returns how many went.
int drop_middle_vertices(TetMesh& mesh, const std::vector<char>& middle);

// Blanks, quotes and % as %XX, so that a name is one word; and back.
std::string encode_name(const std::string& name);
std::string decode_name(std::string_view text);

}  // namespace supple::codec
