// How many frames some seconds have: whole numbers from times that a file says.
#pragma once
#include "supple/base/error.h"

namespace supple {

// A day at eleven frames a second; what has more is a mistake in a time, and its poses would fill the memory.
inline constexpr int kMostFrames = 1'000'000;

// Rounded up, or down: an end between two frames counts as one or not. InputError at `where`: more than kMostFrames.
int frames_up_to(double seconds, double fps, const Location& where);
int frames_within(double seconds, double fps, const Location& where);

}  // namespace supple
