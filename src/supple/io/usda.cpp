#include "supple/io/usda.h"

#include <cctype>
#include <cmath>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

// A name USD allows for a prim.
std::string identifier(const std::string& name) {
  std::string id;
  for (unsigned char c : name) id += std::isalnum(c) != 0 && c < 0x80 ? static_cast<char>(c) : '_';
  if (id.empty() || std::isdigit(static_cast<unsigned char>(id[0])) != 0) id = "_" + id;
  return id;
}

void print_points(OutputFile& out, const float* xyz, int n) {
  out.print("[");
  for (int i = 0; i < n; ++i)
    out.print("{}({}, {}, {})", i > 0 ? ", " : "", xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
  out.print("]");
}

void print_extent(OutputFile& out, const float* xyz, int n) {
  const Eigen::Map<const Eigen::Matrix3Xf> points(xyz, 3, n);
  const Eigen::Vector3f low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  const float ends[6] = {low[0], low[1], low[2], high[0], high[1], high[2]};
  print_points(out, ends, 2);
}

}  // namespace

void write_usda(const std::string& path, const TriMesh& mesh, const PointCache& frames, const UsdaOptions& options) {
  auto refuse = [&](const std::string& what) { throw InputError({path, 0, 0, ""}, "not written: " + what); };
  if (mesh.vertices.empty()) refuse("the surface has no vertices");
  if (frames.n_samples > 0 && frames.n_points != mesh.n_vertices()) {
    refuse(fmt::format("{} points move but the surface has {} vertices", frames.n_points, mesh.n_vertices()));
  }
  const Eigen::VectorXf rest = flatten(mesh.vertices).cast<float>();
  if (!rest.allFinite()) refuse("a vertex is not finite");
  for (float x : frames.xyz) {
    if (!std::isfinite(x)) refuse("a position of the animation is not finite");
  }
  if (!(options.fps > 0)) refuse("the frame rate should be positive");
  const int n = mesh.n_vertices();
  if (options.velocities && (options.velocities->n_samples != frames.n_samples || options.velocities->n_points != n))
    refuse("there are not as many velocities as positions");
  auto code = [&](int f) { return options.first_frame + f * options.rate; };
  const double last = code(std::max(frames.n_samples - 1, 0));
  const std::string name = identifier(options.name);

  OutputFile out(path);
  out.print("#usda 1.0\n(\n    defaultPrim = \"Root\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n");
  out.print("    startTimeCode = {}\n    endTimeCode = {}\n", options.first_frame, last);
  out.print("    timeCodesPerSecond = {}\n    framesPerSecond = {}\n)\n\n", options.fps, options.fps);
  out.print("def Xform \"Root\"\n{{\n    def Mesh \"{}\"\n    {{\n", name);
  out.print("        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n");
  out.print("        int[] faceVertexCounts = [");
  for (size_t t = 0; t < mesh.triangles.size(); ++t) out.print("{}3", t > 0 ? ", " : "");
  out.print("]\n        int[] faceVertexIndices = [");
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    out.print("{}{}, {}, {}", t > 0 ? ", " : "", a, b, c);
  }
  out.print("]\n        point3f[] points = ");
  print_points(out, rest.data(), n);
  out.print("\n        float3[] extent = ");
  print_extent(out, rest.data(), n);
  out.print("\n");
  if (frames.n_samples > 0) {
    out.print("        point3f[] points.timeSamples = {{\n");
    for (int f = 0; f < frames.n_samples; ++f) {
      out.print("            {}: ", code(f));
      print_points(out, frames.sample(f), n);
      out.print(",\n");
    }
    if (options.velocities) {
      out.print("        }}\n        vector3f[] velocities.timeSamples = {{\n");
      for (int f = 0; f < frames.n_samples; ++f) {
        out.print("            {}: ", code(f));
        print_points(out, options.velocities->sample(f), n);
        out.print(",\n");
      }
    }
    out.print("        }}\n        float3[] extent.timeSamples = {{\n");
    for (int f = 0; f < frames.n_samples; ++f) {
      out.print("            {}: ", code(f));
      print_extent(out, frames.sample(f), n);
      out.print(",\n");
    }
    out.print("        }}\n");
  }
  if (mesh.colors.size() == mesh.vertices.size()) {
    const Eigen::VectorXf colors = flatten(mesh.colors).cast<float>();
    out.print("        color3f[] primvars:displayColor = ");
    print_points(out, colors.data(), n);
    out.print(" (\n            interpolation = \"vertex\"\n        )\n");
  }
  if (mesh.uvs.size() == mesh.vertices.size()) {
    out.print("        texCoord2f[] primvars:st = [");
    for (int i = 0; i < n; ++i) {
      out.print("{}({}, {})", i > 0 ? ", " : "", static_cast<float>(mesh.uvs[i][0]),
                static_cast<float>(mesh.uvs[i][1]));
    }
    out.print("] (\n            interpolation = \"vertex\"\n        )\n");
  }
  out.print("    }}\n}}\n");
  out.commit();
}

}  // namespace supple
