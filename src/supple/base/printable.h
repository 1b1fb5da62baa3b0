// Words of others as a terminal may be given them: names in files, names of files, what other programs say. A terminal
// obeys control characters, lets some turn the direction of what follows, and takes a line end for the end of what we
// say; whoever writes a file must have no say in that.
#pragma once
#include <string>
#include <string_view>

namespace supple {

enum class LineEnds { escaped, kept };

// Control characters, what turns the direction of writing, what ends a line and bytes that are no UTF-8 as \x1b and
// \u{202E}; all else as it is.
std::string printable(std::string_view text, LineEnds ends = LineEnds::escaped);

}  // namespace supple
