#include "tests/hostile/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "supple/demos/gallery/pear.h"
#include "supple/io/curve_files.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/deliver/checkpoint_file.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

class InputFolder {
 public:
  explicit InputFolder(fs::path folder) : folder_(std::move(folder)) {}
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string get(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void cut(const std::string& from, const std::string& to, double share) const {
    const std::string content = get(from);
    put(to, content.substr(0, static_cast<size_t>(share * static_cast<double>(content.size()))));
  }
  void spoil(const std::string& from, const std::string& to, size_t at, const std::string& bytes) const {
    put(to, get(from).replace(at, bytes.size(), bytes));
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::copy(folder_ / from, folder_ / to, fs::copy_options::recursive);
  }
  void supple(const std::string& arguments) const {
    const std::string call = "cd '" + folder_.string() + "' && SUPPLE_CACHE=off '" SUPPLE_PROGRAM "' -q " + arguments +
                             " >log 2>&1 </dev/null";
    if (std::system(call.c_str()) != 0) throw std::runtime_error("supple " + arguments + ": " + get("log"));
    fs::remove(path("log"));
  }

 private:
  fs::path folder_;
};

const std::string kNaN("\0\0\xc0\x7f", 4), kBigEndianNaN("\x7f\xc0\0\0", 4), kMany("\xff\xff\xff\x7f", 4);

TriMesh octahedron(double size) {
  TriMesh mesh;
  mesh.vertices = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
  for (Vec3& x : mesh.vertices) x *= size;
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return mesh;
}

PointCache cache_of(const Points& points, int n_samples) {
  PointCache cache;
  for (int s = 0; s < n_samples; ++s) {
    VecX x(3 * static_cast<Eigen::Index>(points.size()));
    for (size_t v = 0; v < points.size(); ++v)
      x.segment<3>(3 * static_cast<Eigen::Index>(v)) = points[v] + 0.02 * std::sin(s) * Vec3::UnitX();
    cache.add(x);
    cache.times.push_back(static_cast<float>(s) / 24);
  }
  return cache;
}

void meshes_and_caches(const InputFolder& in) {
  const TetMesh box = make_box(2, 1, 1, Vec3(0.2, 0.1, 0.1));
  for (const char* name : {"box.msh", "box.veg", "box.mesh", "box.vtk", "box.node"}) write_tet_mesh(in.path(name), box);
  const TriMesh skin = octahedron(0.5);
  write_obj(in.path("skin.obj"), skin);
  for (const char* name : {"skin.pc2", "skin.mdd"}) write_point_cache(in.path(name), cache_of(skin.vertices, 5));
  write_pc2(in.path("two.pc2"), cache_of({Vec3::Zero(), 0.1 * Vec3::UnitZ()}, 5));
  for (const char* name : {"box.msh", "box.veg", "box.mesh", "box.vtk", "box.ele", "skin.obj", "skin.pc2", "skin.mdd"})
    in.cut(name, std::string("cut_") + name, 0.6);
  in.copy("box.node", "cut_box.node");

  TetMesh bad = box;
  for (Vec3& x : bad.vertices) x.z() = 0;
  write_tet_mesh(in.path("flat.msh"), bad);
  bad = box;
  std::swap(bad.tets[2][0], bad.tets[2][1]);
  write_tet_mesh(in.path("inverted.msh"), bad);
  bad = box;
  bad.tets.push_back(bad.tets[0]);
  write_tet_mesh(in.path("double.msh"), bad);
  bad.vertices.clear(), bad.tets.clear();
  write_tet_mesh(in.path("none.msh"), bad);

  TriMesh sheet = skin;
  sheet.triangles.resize(4);
  write_obj(in.path("open.obj"), sheet);
  sheet.triangles.clear();
  write_obj(in.path("points.obj"), sheet);
  TriMesh line = skin;
  for (Vec3& x : line.vertices) x.y() = x.z() = 0;
  write_obj(in.path("line.obj"), line);
  write_obj(in.path("huge.obj"), octahedron(1e300));
  in.put("nan.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n");
  in.put("no_corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n");
  TriMesh fan = skin;  // three triangles on one edge
  fan.vertices.push_back(Vec3(1, 1, 1));
  fan.triangles.push_back({0, 2, 6});
  write_obj(in.path("fan.obj"), fan);

  // What our writers refuse to write.
  in.spoil("skin.pc2", "nan.pc2", 32 + 40, kNaN);
  in.spoil("skin.mdd", "nan.mdd", 8 + 4 * 5 + 40, kBigEndianNaN);
  in.spoil("skin.pc2", "counts.pc2", 16, kMany);
}

void characters(const InputFolder& in) {
  const Character pear = demos::make_pear({.rings = 16, .segments = 12});
  write_gltf(in.path("pear.glb"), pear);
  in.cut("pear.glb", "cut.glb", 0.5);
  in.cut("pear.glb", "head.glb", 0.001);
  const std::string binary = in.get("pear.glb");
  in.spoil("pear.glb", "nan.glb", binary.find("BIN") + 4 + 12, kNaN);  // a position
  in.spoil("pear.glb", "length.glb", 8, kMany);
  Character bad = pear;
  for (CharacterMesh& mesh : bad.meshes)
    for (Primitive& p : mesh.primitives) std::fill(p.positions.begin(), p.positions.end(), Vec3::Zero());
  write_gltf(in.path("point.glb"), bad);
  bad = pear;
  bad.clips.clear();
  write_gltf(in.path("still.glb"), bad);
  const char* asset = "{\"asset\":{\"version\":\"2.0\"},";
  in.put("version1.gltf", "{\"asset\":{\"version\":\"1.0\"}}");
  in.put("nothing.gltf", std::string(asset) + "\"nodes\":[]}");
  in.put("cyclic.gltf",
         std::string(asset) + "\"nodes\":[{\"children\":[1]},{\"children\":[0]}],\"scenes\":[{\"nodes\":[0]}]}");
  in.put("no_buffer.gltf",
         std::string(asset) +
             "\"buffers\":[{\"uri\":\"lost.bin\",\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,"
             "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
             "\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"nodes\":[{\"mesh\":0}]}");
  in.put("extension.gltf", std::string(asset) + "\"extensionsRequired\":[\"ACME_shapes\"],\"nodes\":[]}");
  in.put("text.glb", "this is no glTF\n");
  in.put("deep.gltf", std::string(100000, '['));
}

void lists(const InputFolder& in) {
  in.put("held.txt", "0\n3\n6\n9\n");
  in.put("held_99.txt", "0\n99\n");
  in.put("keys.csv", "t,tx,ty,tz,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n0.5,0.01,0,0,0,0,0,1\n");
  in.put("back.csv", "0,0,0,0,0,0,0,1\n0,1,0,0,0,0,0,1\n");
  in.put("words.csv", "to be or not to be\n");
  CurveTable curves;
  curves.names = {"chest.x"}, curves.frames = {0, 1, 2}, curves.values = MatX::Zero(3, 1);
  write_curves(in.path("curves.csv"), curves);
  write_curves(in.path("curves.json"), curves);
  in.cut("curves.json", "cut_curves.json", 0.5);
  in.put("walk.bvh",
         "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 "
         "0\n}\n}\n"
         "MOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0\n1 2 3\n");
  in.cut("walk.bvh", "cut_walk.bvh", 0.9);
  in.put("nan.bvh", "HIERARCHY\nROOT Hips\n{\nOFFSET 0 nan 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.04\n");
}

void scenes(const InputFolder& in) {
  const std::string box =
      "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = \"held.txt\"\nrigid = \"keys.csv\"\n"
      "[output]\nreport = false\nformats = [\"pc2\"]\n[timeline]\nframes = 3\n";
  in.put("box.toml", box);
  in.put("scene.toml", "[surface]\nfile = \"pear.glb\"\n[tets]\npreset = \"preview\"\n");
  in.put("no_tets.toml", "[tets]\nfile = \"lost.msh\"\n");
  in.put("nothing.toml", "# nothing to simulate\n");
  in.put("broken.toml", "[tets\nfile = 3\n");
  in.put("binary.toml", in.get("pear.glb").substr(0, 4000));
  in.put("key.toml", box + "[material]\ndensty = 900\n");
  in.put("table.toml", box + "[materail]\ndensity = 900\n");
  in.put("type.toml", box + "[material]\ndensity = \"heavy\"\n");
  in.put("twice.toml", box + "[material]\ndensity = 900\ndensity = 901\n");
  in.put("nan.toml", box + "[material]\ndensity = nan\n");
  in.put("negative.toml", box + "[material]\ndensity = -5\n");
  in.put("range.toml", box + "[timeline2]\n[material]\npoisson_ratio = 0.7\n");
  in.put("itself.toml", "[surface]\nfile = \"itself.toml\"\n");
  in.put("huge.toml", box + "[world]\ngravity = [0, -1e308, 0]\n");
  in.put("folder_as_file.toml", "[tets]\nfile = \"folder\"\n");
  in.put("latin.toml", box + "[[region]]\nname = \"Br\xfcst\"\n");
  in.put("flat.toml", "[tets]\nfile = \"flat.msh\"\n[attach]\nvertices = [0, 1]\n");
  in.put("inverted.toml", "[tets]\nfile = \"inverted.msh\"\n[attach]\nvertices = [0, 1]\n");
  in.put("held_99.toml", "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = \"held_99.txt\"\n");
  in.put("track.toml", "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = [0, 1, 2]\ntrack = \"two.pc2\"\n");
  in.put("dials.toml", box + "[controls]\namplitude = 2\n");
  in.put("look.toml", "[controls]\namplitude = 1.2\n[[region]]\nname = \"chest\"\namplitude = 2\n");
  in.put("rig.toml", "[curves]\nrig = \"echo hello\"\n");
}

void takes(const InputFolder& in) {
  in.supple("simulate box.toml -o take --set output.report=true");
  in.supple("run pear.glb --clip hold --preview --set timeline.frames=2 --take take_pear -o soft_pear.glb");
  in.put("no_take/notes.txt", "nothing was run here\n");
  for (const char* name : {"words", "list", "empty", "cut", "old", "lost"})
    in.copy("take", std::string("take_") + name);
  in.put("take_words/report.json", "what is JSON?\n");
  in.put("take_list/report.json", "[1, 2, 3]\n");
  in.put("take_empty/report.json", "{}\n");
  in.cut("take/report.json", "take_cut/report.json", 0.5);
  in.cut("take/tets.pc2", "take_old/tets.pc2", 0.5);
  fs::remove(in.path("take_lost/tets.pc2"));
  // What an interrupted run leaves, of another scene.
  pipeline::CheckpointFile(in.path("stopped"), "another scene").write({});
  in.copy("stopped", "stopped_cut");
  in.cut("stopped/checkpoint/state.bin", "stopped_cut/checkpoint/state.bin", 0.5);
}

}  // namespace

void make_hostile_inputs(const fs::path& folder) {
  const InputFolder in(folder);
  meshes_and_caches(in);
  characters(in);
  lists(in);
  scenes(in);
  for (const char* ending :
       {"glb", "gltf", "obj", "msh", "veg", "mesh", "vtk", "node", "pc2", "mdd", "csv", "json", "bvh", "toml"})
    in.put(std::string("empty.") + ending, "");
  for (const char* name : {"folder", "folder.glb", "folder.msh", "folder.toml", "folder.obj", "folder.pc2"})
    fs::create_directories(in.path(name));
  for (const char* name : {"pipe.toml", "pipe.glb", "pipe.msh", "pipe.pc2"})
    if (mkfifo(in.path(name).c_str(), 0600) != 0) throw std::runtime_error("no FIFO can be made");
  takes(in);
}

}  // namespace supple
