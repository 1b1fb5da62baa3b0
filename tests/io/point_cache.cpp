#include "supple/io/point_cache.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

PointCache sample_cache() {
  PointCache c;
  c.start = 1;
  c.rate = 0.5;
  for (int s = 0; s < 3; ++s) {
    VecX x(6);
    for (int i = 0; i < 6; ++i) x[i] = 100 * s + i + 1.0 / 3;
    c.add(x);
    c.times.push_back(static_cast<float>(s) / 24);
  }
  return c;
}

std::string pc2_bytes(const PointCache& c) {
  std::string s("POINTCACHE2\0", 12);
  s += bytes_of(1, false) + bytes_of(c.n_points, false) + bytes_of(static_cast<float>(c.start), false) +
       bytes_of(static_cast<float>(c.rate), false) + bytes_of(c.n_samples, false);
  for (float x : c.xyz) s += bytes_of(x, false);
  return s;
}

std::string mdd_bytes(const PointCache& c) {
  std::string s = bytes_of(c.n_samples, true) + bytes_of(c.n_points, true);
  for (float t : c.times) s += bytes_of(t, true);
  for (float x : c.xyz) s += bytes_of(x, true);
  return s;
}

TEST(PointCache, BytesAreAsTheFormatsSay) {
  const Scratch dir;
  const PointCache c = sample_cache();
  write_point_cache(dir.path("c.pc2"), c);
  EXPECT_EQ(dir.get("c.pc2"), pc2_bytes(c));
  EXPECT_EQ(dir.get("c.pc2").size(), 32u + 3 * 2 * 12);
  write_point_cache(dir.path("c.mdd"), c);
  EXPECT_EQ(dir.get("c.mdd"), mdd_bytes(c));

  const PointCache pc2 = read_point_cache(dir.put("d.pc2", pc2_bytes(c)));
  EXPECT_EQ(pc2.xyz, c.xyz);
  EXPECT_EQ(pc2.n_points, 2);
  EXPECT_EQ(pc2.n_samples, 3);
  EXPECT_EQ(pc2.start, 1);
  EXPECT_EQ(pc2.rate, 0.5);
  EXPECT_EQ(pc2.points(2)[1], Vec3(static_cast<float>(203 + 1.0 / 3), static_cast<float>(204 + 1.0 / 3),
                                   static_cast<float>(205 + 1.0 / 3)));
  const PointCache mdd = read_point_cache(dir.put("d.mdd", mdd_bytes(c)));
  EXPECT_EQ(mdd.xyz, c.xyz);
  EXPECT_EQ(mdd.times, c.times);
}

TEST(PointCache, DamagedFilesAreRefused) {
  const Scratch dir;
  const PointCache c = sample_cache();
  for (const auto& [name, bytes] : {std::pair{"c.pc2", pc2_bytes(c)}, std::pair{"c.mdd", mdd_bytes(c)}}) {
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      EXPECT_THROW(read_point_cache(dir.put(name, bytes.substr(0, cut))), InputError) << name << " cut at " << cut;
    }
    EXPECT_THROW(read_point_cache(dir.put(name, bytes + "x")), InputError);
    // Counts that would ask for more memory than there is.
    for (size_t at = 0; at + 4 <= 32; at += 4) {
      std::string bad = bytes;
      bad.replace(at, 4, name[2] == 'p' ? "\xff\xff\xff\x7f" : "\x7f\xff\xff\xff", 4);
      EXPECT_THROW(read_point_cache(dir.put(name, bad)), InputError) << name << " at " << at;
    }
  }
  std::string bad = pc2_bytes(c);
  bad.replace(32 + 12, 4, bytes_of(std::nanf(""), false));
  try {
    read_point_cache(dir.put("n.pc2", bad));
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().place, "byte 44");
  }
  EXPECT_THROW(read_point_cache(dir.put("c.abc", bad)), InputError);
  PointCache no_times = c;
  no_times.times.clear();
  EXPECT_THROW(write_mdd(dir.path("x.mdd"), no_times), InputError);
  PointCache hot = c;
  hot.xyz[4] = INFINITY;
  EXPECT_THROW(write_pc2(dir.path("x.pc2"), hot), InputError);
  EXPECT_FALSE(std::filesystem::exists(dir.path("x.pc2")));
}

TEST(Pc2Writer, StreamsResumesAndFinishes) {
  const Scratch dir;
  const PointCache c = sample_cache();
  const std::string path = dir.path("s.pc2");
  auto positions = [&](int s) { return flatten(c.points(s)); };
  {
    Pc2Writer w(path, 2, c.start, c.rate);
    w.append(positions(0));
    w.append(positions(2));  // to be dropped on resuming
    w.flush();
    EXPECT_FALSE(std::filesystem::exists(path));
    // After a flush the part is a cache of its own.
    EXPECT_EQ(read_pc2(path + ".part").n_samples, 2);
    w.append(positions(2));  // never flushed: the writer goes away here
  }
  {
    Pc2Writer w = Pc2Writer::resume(path, 2, 1);
    EXPECT_EQ(w.n_samples(), 1);
    w.append(c.sample(1));
    w.append(positions(2));
    w.finish();
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EQ(dir.get("s.pc2"), pc2_bytes(c));
  {
    // A finished cache can be continued too: it is a part again until it is finished once more.
    Pc2Writer w = Pc2Writer::resume(path, 2, 2);
    EXPECT_FALSE(std::filesystem::exists(path));
    const Pc2Writer again = Pc2Writer::resume(path, 2, 2);
    EXPECT_EQ(w.hash(), again.hash());
    w.append(positions(2));
    EXPECT_NE(w.hash(), again.hash());
    w.finish();
  }
  EXPECT_EQ(dir.get("s.pc2"), pc2_bytes(c));
  EXPECT_THROW(Pc2Writer::resume(path, 2, 4), InputError);
  EXPECT_THROW(Pc2Writer::resume(path, 1, 2), InputError);
  EXPECT_THROW(Pc2Writer::resume(dir.path("none.pc2"), 2, 0), InputError);
  Pc2Writer w(dir.path("t.pc2"), 2);
  EXPECT_THROW(w.append(VecX::Zero(9)), InputError);
  EXPECT_THROW(w.append(VecX::Constant(6, std::nan(""))), InputError);
  EXPECT_THROW(Pc2Writer("/nonexistent/t.pc2", 2), InputError);
}

}  // namespace
}  // namespace supple
