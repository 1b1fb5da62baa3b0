// Which kind of subject a scene has.
#include "supple/pipeline/job/subjects.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/enriched/enriched_subject.h"
#include "supple/pipeline/setup/tet_subject.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class Subjects : public SceneFiles {
 protected:
  template <class Kind>
  static bool is(const std::shared_ptr<const Subject>& subject) {
    const Subject& s = *subject;
    return typeid(s) == typeid(Kind);
  }
};

TEST_F(Subjects, tets_of_a_file_with_or_without_a_surface) {
  const TetMesh tets = make_box(4, 1, 1, {0.4, 0.1, 0.1});
  write_tet_mesh(path("bar.msh"), tets);
  write_obj(path("bar.obj"), boundary_surface(tets));
  write("a.toml", "[tets]\nfile = \"bar.msh\"\n[timeline]\nfps = 30\n");
  write("b.toml", "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"bar.msh\"\n");
  for (const char* scene : {"a.toml", "b.toml"}) {
    const SceneConfig config = load_scene(path(scene));
    EXPECT_TRUE(is<TetSubject>(make_subject(config))) << scene;
    EXPECT_TRUE(is<TetSubject>(subject_of_run(config, folder_.string()))) << scene;
    EXPECT_EQ(make_subject(config)->character(), nullptr);
  }
  EXPECT_EQ(make_subject(load_scene(path("a.toml")))->fps(), 30);
}

TEST_F(Subjects, a_character_and_what_is_enriched) {
  write_gltf(path("pear.glb"), make_pear({.rings = 8, .segments = 6}), {.colors = pear_colors()});
  const std::string character = "[surface]\nfile = \"pear.glb\"\nclip = \"hop\"\nscale = 1\n[tets]\ncount = 200\n";
  write("pear.toml", character);
  const std::shared_ptr<const Subject> pear = make_subject(load_scene(path("pear.toml")), false);
  EXPECT_TRUE(is<CharacterSubject>(pear));
  EXPECT_NE(pear->character(), nullptr);
  // What is to be enriched is so whatever its file is, and says how well its tets follow.
  write("rich.toml", character + "[enrich]\nsoftness = 0.5\n");
  const SceneConfig rich = load_scene(path("rich.toml"));
  std::string heard;
  const Watch watch{.note = [&](std::string_view text) { heard += text; }};
  EXPECT_TRUE(is<EnrichedSubject>(make_subject(rich, false, watch)));
  EXPECT_EQ(heard.find("the tets follow"), std::string::npos) << heard;
  EXPECT_TRUE(is<EnrichedSubject>(make_subject(rich, true, watch)));
  EXPECT_NE(heard.find("the tets follow the animation"), std::string::npos) << heard;
  // A run that left no fit is none.
  EXPECT_THROW(subject_of_run(rich, folder_.string()), InputError);
}

}  // namespace
}  // namespace supple
