// A speaking head, y up, looking along +z, its neck cut off at y = 0: one closed skin with the bag of the mouth behind
// the lips, and in it teeth and a tongue as shells of their own, as are the eyes. What is known of its motion is what
// cameras in front of it would see: the outer face.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple::demos {

struct TalkingHeadOptions {
  double coarse = 1;   // edges so many times as long, 1 to 4; 1: about 25,600 vertices
  int frames = 960;    // of 960, at least 1
  double noise_m = 0;  // [m] root mean square of how far tracked places are off in each frame
};

struct TalkingHead {
  TriMesh neutral;             // lips 2 to 3 mm apart; with colors to look at
  TriMesh open_mouth;          // the same with the lips well apart, to make tets around
  std::vector<int> tracked;    // ascending: the outer front of the face
  std::vector<Points> frames;  // of the tracked vertices
  double fps = 30;
  // Vertices, ascending: "upper teeth", "lower teeth", "tongue" and "eyes" are shells, "cavity" and "skin" share one.
  std::map<std::string, std::vector<int>> parts;
};

// Frame 0 is the neutral face. Throws InputError: options out of range.
TalkingHead make_talking_head(const TalkingHeadOptions& options = {});

// What the face does at a time, each about 0 to 1, angles in degrees.
struct FaceState {
  double jaw_deg = 0;                       // how far the mouth is opened
  double smile = 0, pucker = 0, press = 0;  // of the lips
  double cheeks = 0, brows = 0;             // puffed, raised
  double nod_deg = 0, turn_deg = 0;         // of the whole head
};
FaceState speaking(double time_s);
// Where points of the neutral head go. open: the same points in the open shape, which tells upper from lower lip.
Points posed_face(const Points& neutral, const Points& open, const FaceState& state);

}  // namespace supple::demos
