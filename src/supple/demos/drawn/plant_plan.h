// What the plant and its pot share. Inside the drawn room only.
#pragma once

namespace supple::demos {

constexpr double kPotSoil = 0.142;  // [m] height of the soil, where the stem begins

}  // namespace supple::demos
