// What a viewer would say of a soft clip: numbers of what is drawn without and with softness, and limits for them.
// Nothing here knows how softness was made.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/cast/shot.h"

namespace supple::cast {

// By name; lengths are % of the size of the character. What does not apply is not there.
//   nan            soft coordinates that are not finite
//   moved_share    % of the vertices that ever depart
//   p99, max       of the departure of those over all frames
//   swing          p99 of the departure without its mean over the clip [pixels of a picture 400 high]
//   drawn_accel    of the drawn clip, 95th percentile over what departs [heights of the picture/s^2]
//   whole_accel    of the whole body as if rigid, 90th percentile in time or root mean square [the same]
//   calm           p99 of the departure / p99 of the drawn motion about its mean, without the body's rigid motion
//   buzz           share of the departure's energy above 6 Hz
//   reversals      % of vertex-frames where two long steps turn back on each other
//   pop            where a cycle starts again: in place, and in step beyond what vertices do at any other frame
//   still_s        the drawn clip stands so long at its end [s]; settle_speed: what the departure does then [% a
//   second] planted, soles p99 of the departure of vertices on the floor that stand, that move along it edge_over % of
//   edges ever over 1.3 times as long as drawn; edge_worst: against the longer of drawn and bind flips          % of
//   triangles ever turned over; volume_least, volume_most: of the largest piece, beside drawn torn           seams that
//   open; gap: pieces that touch, 95th percentile of how far they part or slide one_sided      % of mirrored vertices
//   where one side departs and the other not at all
using Numbers = std::map<std::string, double>;

Numbers measure(const Shot& shot);

struct Rule {
  const char *name, *number;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  struct {
    const char* number = "";
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  } when = {};  // only where this number is within these
  const char* why;
};
const std::vector<Rule>& rules();

// Rules that do not hold, each as "name: number = value, not within ..."; a rule without its number holds.
std::vector<std::string> broken(const Numbers& numbers);

// All numbers on one line.
std::string text(const Numbers& numbers);

}  // namespace supple::cast
