// The separate bits of solid in one tet. Inside the tetmesh room only.
#pragma once
#include "supple/tetmesh/clip.h"
#include "supple/tetmesh/contents.h"

namespace supple {

// Where the sample points of a tet are.
std::array<Ticks, SampleGrid::kPoints> sample_ticks(const GradedLattice& lattice, const LeafTet& tet);

// The work on one tet after another; kept between them so that its lists need no new memory.
class BitFinder {
 public:
  BitFinder(const Soup& soup, const WindingNumber& winding, const GradedLattice& lattice, const Cover& cover,
            const ContentsOptions& options)
      : soup_(soup), winding_(winding), lattice_(lattice), cover_(cover), options_(options) {}

  // Triangles in the tet. Sets out.crossed.
  void clip_triangles(const LeafTet& tet, TetContents& out) const;
  // The rest, of a tet that is crossed. w: winding numbers of the sample points.
  void find(const LeafTet& tet, const std::array<double, SampleGrid::kPoints>& w, TetContents& out);

 private:
  static constexpr int kPoints = SampleGrid::kPoints;
  struct Part {  // of a triangle
    int triangle = 0;
    bool sheet = false;
    Clipped clipped;
    std::array<Vec3, 3> corners;
    Tri ids;
    Vec3 normal;
    double chord = -1;  // depth of the solid behind it, within the tet [m]; below 0: not measured
  };
  struct Hit {
    double t;
    int part, step;  // of the winding number
    bool operator<(const Hit& o) const { return t != o.t ? t < o.t : part < o.part; }
  };

  int root(int node);
  void join(int a, int b);
  void load(const LeafTet& tet, const std::array<double, kPoints>& w, const TetContents& out);
  void find_hits(const Vec3& p, const Vec3& q, int but = -1);
  void follow_lines();
  void follow_surface();
  void follow_rays();
  void cast_ray(int i);
  double depth_of_tet(const Vec3& p, const Vec3& direction) const;
  bool walk_inwards(int i, const Vec3& p, const Vec3& q, double start, double* end);
  void reach_a_point(int i, const Vec3& p, double start);
  void number_bits(TetContents& out);
  void measure_fill(const LeafTet& tet, TetContents& out) const;

  const Soup& soup_;
  const WindingNumber& winding_;
  const GradedLattice& lattice_;
  const Cover& cover_;
  const ContentsOptions& options_;
  TetPlanes planes_{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}};
  std::array<double, kPoints> w_{};
  std::array<Vec3, kPoints> points_;
  std::vector<Part> parts_;
  std::vector<int> parent_;                   // nodes: sample points, then parts
  std::vector<std::array<double, 2>> reach_;  // of each small edge: solid share from its first end, from its second
  std::vector<Hit> hits_;
};

}  // namespace supple
