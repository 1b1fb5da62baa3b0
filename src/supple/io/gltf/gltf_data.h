// The numbers of a glTF file: buffers, views and accessors, whatever they are packed in. Inside the room only.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "supple/io/gltf/gltf_file.h"

namespace supple {

using GltfBytes = std::span<const unsigned char>;

// Every read is within bounds, and what all reads together may produce is bounded by the size of the file. The file
// must outlive it.
class GltfData {
 public:
  explicit GltfData(const GltfFile& file);
  const GltfFile& file() const { return file_; }
  const GltfAccessor& accessor(int index) const { return file_.accessors[static_cast<size_t>(index)]; }

  // Elements one after the other, `width` numbers each; normalized integers as fractions. place: who asks.
  std::vector<double> values(int accessor, const std::string& place);
  // The same with the integers themselves.
  std::vector<double> plain_values(int accessor, const std::string& place);
  // Whole numbers of an accessor of scalars, for indices.
  std::vector<uint32_t> whole_numbers(int accessor, const std::string& place);

  GltfBytes view(int index, const std::string& place);
  // Counts numbers that a reader is about to hold; InputError when no sane file would need as many.
  void charge(size_t count, size_t width, const std::string& place);

 private:
  GltfBytes buffer(int index, const std::string& place);
  GltfBytes elements(int view, size_t offset, size_t count, size_t element, size_t& stride, const std::string& place);
  std::vector<double> read(int accessor, bool scaled, const std::string& place);

  const GltfFile& file_;
  std::map<int, std::string> loaded_;                   // buffers that are not the file itself
  std::map<int, std::vector<unsigned char>> unpacked_;  // views
  size_t budget_;                                       // numbers that may still be produced
};

// The bytes of a data: URI, or of a file beside this one that has at least buffer.length bytes.
std::string load_gltf_uri(const GltfFile& file, const GltfBuffer& buffer, const std::string& place);

// One component as it is stored.
double gltf_number_at(const unsigned char* at, GltfComponent component);

// A normalized integer as the fraction it stands for (signed ones end at -1); floats as they are.
double gltf_fraction(GltfComponent component, double integer);

// Unpacks a view of EXT_meshopt_compression.
std::vector<unsigned char> unpack_meshopt(const GltfFile& file, const GltfPacking& packing, GltfBytes bytes,
                                          const std::string& place);

// A primitive of KHR_draco_mesh_compression, decoded: its own order of vertices is the file's.
class DracoMesh {
 public:
  DracoMesh(const GltfFile& file, GltfBytes bytes, const std::string& place);
  ~DracoMesh();
  DracoMesh(const DracoMesh&) = delete;
  DracoMesh& operator=(const DracoMesh&) = delete;

  size_t n_vertices() const;
  std::vector<uint32_t> indices() const;
  std::vector<double> values(int id, const GltfAccessor& accessor, bool scaled, const std::string& place) const;

 private:
  struct Decoded;
  const GltfFile& file_;
  std::unique_ptr<Decoded> decoded_;
};

}  // namespace supple
