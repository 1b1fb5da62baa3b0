// The numbers of a verdict, each group in its own source. Each puts in what applies.
#pragma once
#include "tests/cast/verdict.h"

namespace supple::cast {

// How the body moves and how far what is soft departs from it.
void measure_amount(const Seen& s, Numbers& out);
// In time: trembling, loops, coming to rest, feet.
void measure_trembling(const Seen& s, Numbers& out);
void measure_loop(const Seen& s, Numbers& out);
void measure_rest(const Seen& s, Numbers& out);
void measure_feet(const Seen& s, Numbers& out);
// The surface.
void measure_edges(const Seen& s, Numbers& out);
void measure_turned(const Seen& s, Numbers& out);
void measure_volume(const Seen& s, Numbers& out);
void measure_seams(const Seen& s, Numbers& out);
void measure_gaps(const Seen& s, Numbers& out);
void measure_sides(const Seen& s, Numbers& out);

}  // namespace supple::cast
