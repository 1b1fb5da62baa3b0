#include "fuzz/small_files.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "supple/demos/gallery/pear.h"
#include "supple/io/bvh.h"
#include "supple/io/curve_files.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/gltf/live_binary.h"
#include "supple/io/gltf/live_json.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/scene/config.h"
#include "supple/scene/write_scene.h"
#include "supple/sim/checkpoint.h"

namespace supple::fuzz {

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, std::string_view bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TetMesh box() {
  TetMesh mesh = make_box(2, 1, 1, Vec3(0.2, 0.1, 0.1));
  mesh.tet_region.assign(static_cast<size_t>(mesh.n_tets()), 0);
  mesh.tet_region.back() = 1;
  mesh.region_names = {"a", "b"};
  mesh.vertex_maps["soft"].assign(mesh.vertices.size(), 0.5);
  return mesh;
}

TriMesh octahedron() {
  TriMesh mesh;
  mesh.vertices = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return mesh;
}

PointCache cache(const Points& points) {
  PointCache made;
  for (int s = 0; s < 4; ++s) {
    VecX x(3 * static_cast<Eigen::Index>(points.size()));
    for (size_t v = 0; v < points.size(); ++v)
      x.segment<3>(3 * static_cast<Eigen::Index>(v)) = points[v] + 0.02 * std::sin(s) * Vec3::UnitX();
    made.add(x);
    made.times.push_back(static_cast<float>(s) / 24);
  }
  return made;
}

Character small_pear() { return demos::make_pear({.rings = 8, .segments = 6}); }

LiveBlock live_block() {
  LiveBlock block;
  LivePart part{.name = "belly", .bone = "hips", .node = 0, .size = 1, .cut_m = 1};
  for (const char* name : {"belly 1", "belly 2"}) {
    LiveMode mode{.name = name, .frequency_hz = 3, .decay = 2, .mass = 0.5, .reach = 0.1, .share = 0.5};
    mode.transfer[3] = 0.2, mode.centrifugal[0] = 0.1;
    mode.coriolis.assign(2, {0, 0.1, 0});
    part.modes.push_back(mode);
  }
  block.pack.parts.push_back(part);
  block.targets = {{{0, 0}}};
  return block;
}

constexpr const char* kScenes[] = {
    // Tets that are held, and moved.
    "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = \"held.txt\"\nrigid = \"keys.csv\"\n[material]\nyoungs_modulus = "
    "1e5\n[controls]\namplitude = 2\nsag_keys = [[0, 1], [3, 2]]\n",
    "[tets]\nfile = \"box.msh\"\nscale = 2\n[attach]\nvertices = [0, 1, 2, 3]\n[world]\ngravity = [0, -9.81, 0]\n"
    "[material]\nmodel = \"stvk\"\nvolume_penalty = 0.3\ndensity_map = \"soft\"\n[[region]]\nname = \"a\"\namplitude = "
    "2\n"
    "[timeline]\nfps = 25\nframes = 3\nloop = false\n",
    // A character.
    "[surface]\nfile = \"pear.glb\"\nclip = \"twist\"\nheight = 1.7\n[attach]\nonly = [\"chest\"]\n[material]\nlook = "
    "\"jelly\"\n[[region]]\nname = \"chest\"\nfrequency = 0.5\n[[part]]\nmatch = \"*eye*\"\nrole = \"rigid\"\n",
    // A surface with a cache, and physics mixed in.
    "[surface]\nfile = \"skin.obj\"\ncache = \"skin.pc2\"\n[enrich]\nsoft = \"painted.txt\"\nsoftness = 0.8\nblend = "
    "0.5\n",
    // A rig.
    "[surface]\nfile = \"pear.glb\"\n[curves]\nfree = [\"chest\"]\nfrequency_hz = 2\n",
    // Contact.
    "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = [0]\n[contact]\nself = true\n[[body]]\nname = \"floor\"\nplane = "
    "[0, 1, 0, -1]\n",
};

}  // namespace

void write_scene_files(const fs::path& folder) {
  const auto at = [&](const char* name) { return (folder / name).string(); };
  fs::create_directories(folder);
  write_tet_mesh(at("box.msh"), box());
  write_obj(at("skin.obj"), octahedron());
  write_pc2(at("skin.pc2"), cache(octahedron().vertices));
  write_gltf(at("pear.glb"), small_pear());
  write_index_list(at("held.txt"), {0, 3, 6, 9});
  put(at("keys.csv"), "t,tx,ty,tz,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n0.5,0.01,0,0,0,0,0,1\n");
  put(at("painted.txt"), "0 1\n1 0\n2 0.5\n");
}

void write_corpora(const fs::path& folder) {
  const auto at = [&](const std::string& name) {
    fs::create_directories((folder / name).parent_path());
    return (folder / name).string();
  };
  // Tets, in every dialect that we write.
  for (const bool binary : {false, true}) {
    for (const MshVersion version : {MshVersion::v2_2, MshVersion::v4_1})
      write_tet_mesh(at("msh/" + std::to_string(2 * binary + (version == MshVersion::v4_1)) + ".msh"), box(),
                     {.binary = binary, .msh_version = version});
    write_tet_mesh(at("vtk/" + std::to_string(binary) + ".vtk"), box(), {.binary = binary});
  }
  write_tet_mesh(at("veg/box.veg"), box());
  write_tet_mesh(at("medit/box.mesh"), box());
  write_tet_mesh(at("files/box.node"), box());
  put(at("tetgen/box"), content(at("files/box.node")) + "# ele\n" + content(at("files/box.ele")));
  fs::remove_all(folder / "files");

  write_obj(at("obj/skin.obj"), octahedron());
  put(at("obj/polygons.obj"),
      "o a\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl m\nf 1/1/1 2/1/1 "
      "3/1/1 4/1/1\nf -4//1 -3//1 -2//1\n");
  write_pc2(at("pc2/skin.pc2"), cache(octahedron().vertices));
  write_mdd(at("mdd/skin.mdd"), cache(octahedron().vertices));
  write_gltf(at("gltf/pear.glb"), small_pear());
  put(at("gltf/triangle.gltf"),
      "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{"
      "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}");

  const Character pear = small_pear();
  std::vector<Placement> rest;
  for (const Node& node : pear.nodes) rest.push_back(node.local);
  std::vector<std::string> warnings;
  write_bvh(at("bvh/pear.bvh"), pear, {rest, rest}, 0.04, warnings);
  write_index_list(at("lists/held.txt"), {0, 3, 6, 9});
  write_scalar_list(at("lists/soft.txt"), {0, 0.5, 1});
  put(at("motion_csv/keys.csv"), "t,tx,ty,tz,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n0.5,0.01,0,0,0,0,0,1\n");
  CurveTable curves;
  curves.names = {"chest.x", "a, \"b\""}, curves.frames = {0, 1, 2.5}, curves.values = MatX::Random(3, 2);
  write_curves(at("curves_csv/curves.csv"), curves);
  write_curves(at("curves_json/curves.json"), curves);

  Checkpoint checkpoint{.fingerprint = "0123456789abcdef"};
  checkpoint.vectors["u"] = VecX::Ones(6), checkpoint.numbers["t"] = 0.5;
  write_checkpoint(at("checkpoint/state.bin"), checkpoint);
  const std::string whole = content(at("checkpoint/state.bin"));
  put(at("checkpoint/body"), whole.substr(16));  // after its mark and hash

  write_live_binary(at("live_pack/belly.live"), live_block());
  write_live_json(at("live_json/belly.live.json"), live_block());
  put(at("rig_talk/answers"),
      "supple-rig 1\nparameters 2\na angle 0 0.5\nb factor 0.5 1\npoints 2\ntriangles 1\n0 1 0\noffers keyed "
      "points\nend\n"
      "0 1 2 3 4 5\n0 0.5\n");
  put(at("rig_serve/questions"),
      "supple-rig 1\ndescribe\nevaluate 0 1 2\nkeyed 0.5\npoints 1\nevaluate 0 1 2\npoints all\nbye\n");
  put(at("report/report.json"),
      "{\"version\":\"0.1.0\",\"measured\":{\"peak_m\":0.1},\"inputs\":[{\"file\":\"box.msh\",\"hash\":\"0123\"}],"
      "\"scene\":\"[tets]\\nfile = \\\"box.msh\\\"\\n\"}");

  int number = 0;
  for (const char* scene : kScenes) {
    put(at("job/" + std::to_string(number) + ".toml"), scene);
    put(at("scene/" + std::to_string(number++) + ".toml"), scene);
  }
  SceneConfig config;
  config.tets.file = {"box.msh", "box.msh"}, config.controls.amplitude = 2;
  put(at("scene/written.toml"), to_toml(config, ""));
}

}  // namespace supple::fuzz
