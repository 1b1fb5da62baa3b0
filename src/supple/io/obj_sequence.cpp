#include "supple/io/obj_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/read_file.h"
#include "supple/base/reading_scope.h"
#include "supple/io/formats.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostDigits = 18;  // of a number that fits
constexpr size_t kGapsTold = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A file name around the number of its frame.
struct NumberedName {
  std::string before, after;
};

// The run of # or the %04d of a name; nothing: it has none.
std::optional<NumberedName> placeholder(const std::string& name) {
  size_t begin = name.find('#');
  if (begin != std::string::npos) {
    const size_t end = std::min(name.find_first_not_of('#', begin), name.size());
    return NumberedName{name.substr(0, begin), name.substr(end)};
  }
  for (begin = name.find('%'); begin != std::string::npos; begin = name.find('%', begin + 1)) {
    size_t end = begin + 1;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end < name.size() && name[end] == 'd') return NumberedName{name.substr(0, begin), name.substr(end + 1)};
  }
  return std::nullopt;
}

struct NumberedFile {
  long long number = 0;
  std::string name;
};

std::optional<long long> number_of(std::string_view digits) {
  if (digits.empty() || digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), is_digit)) return {};
  long long number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::vector<std::string> names_in(const fs::path& folder, const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && entry.is_regular_file()) names.push_back(name);
  }
  if (error) throw InputError({path, 0, 0, ""}, "the folder cannot be opened", "Check the name and the permissions.");
  return names;
}

// Sorts by number. Every number between the first and the last is there once, or InputError.
void put_in_order(const std::string& path, std::vector<NumberedFile>& files) {
  std::sort(files.begin(), files.end(), [](const NumberedFile& a, const NumberedFile& b) {
    return a.number != b.number ? a.number < b.number : a.name < b.name;
  });
  std::string gaps;
  size_t n_gaps = 0;
  for (size_t i = 1; i < files.size(); ++i) {
    const long long low = files[i - 1].number + 1, high = files[i].number - 1;
    if (low > high + 1)
      throw InputError({path, 0, 0, ""},
                       fmt::format("'{}' and '{}' are both frame {}", files[i - 1].name, files[i].name, low - 1),
                       "Remove one of them.");
    if (low > high || ++n_gaps > kGapsTold) continue;
    gaps += fmt::format("{}{}", gaps.empty() ? "" : ", ", low);
    if (high > low) gaps += fmt::format(" to {}", high);
  }
  if (gaps.empty()) return;
  if (n_gaps > kGapsTold) gaps += fmt::format(" and {} more gaps", n_gaps - kGapsTold);
  throw InputError(
      {path, 0, 0, ""},
      fmt::format("frames are missing between '{}' and '{}': {}", files.front().name, files.back().name, gaps),
      "Export them again, or number the files without gaps.");
}

// A frame may be a link, and leads to where its folder may read.
std::string frame_in(const fs::path& folder, const std::string& name) {
  std::string path = (folder / name).string();
  reading_scope().require(path, folder.string(), {path});
  return path;
}

ObjSequence with_folder(const fs::path& folder, const std::vector<NumberedFile>& files) {
  ObjSequence sequence;
  for (const NumberedFile& file : files) sequence.files.push_back(frame_in(folder, file.name));
  sequence.first = files.front().number;
  return sequence;
}

// Numbers inside names count as numbers: walk_9 is before walk_10.
bool before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto run = [](const std::string& text, size_t& at) -> std::string_view {
      while (at < text.size() && text[at] == '0') ++at;
      const size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return std::string_view(text).substr(begin, at - begin);
    };
    const std::string_view x = run(a, i), y = run(b, j);
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
  }
  if (i < a.size() || j < b.size()) return i >= a.size();
  return a < b;
}

// The names as a run of numbers, where they differ by the last number in them alone.
std::optional<std::vector<NumberedFile>> as_numbered(const std::vector<std::string>& names) {
  std::vector<NumberedFile> files;
  NumberedName first;
  for (const std::string& name : names) {
    size_t end = name.size() - std::strlen(".obj");
    while (end > 0 && !is_digit(name[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    const auto number = number_of(std::string_view(name).substr(begin, end - begin));
    const NumberedName around{name.substr(0, begin), name.substr(end)};
    if (files.empty()) first = around;
    if (!number || around.before != first.before || around.after != first.after) return std::nullopt;
    files.push_back({*number, name});
  }
  return files;
}

ObjSequence in_folder(const std::string& path) {
  std::vector<std::string> names = names_in(path, path);
  std::erase_if(names, [](const std::string& name) { return extension(name) != ".obj"; });
  if (names.empty())
    throw InputError({path, 0, 0, ""}, "the folder has no .obj files", "Give the folder with one .obj a frame.");
  if (auto numbered = as_numbered(names)) {
    put_in_order(path, *numbered);
    return with_folder(path, *numbered);
  }
  std::sort(names.begin(), names.end(), before);
  ObjSequence sequence;
  sequence.alike = false;
  for (const std::string& name : names) sequence.files.push_back(frame_in(path, name));
  return sequence;
}

// The vertices of one file, parsed in place.
class FrameFile {
 public:
  FrameFile(const std::string& path, bool allow_holes)
      : path_(path), text_(read_regular_file(path)), allow_holes_(allow_holes) {
    at_ = text_.data();
    end_ = at_ + text_.size();
  }

  // put(x): three floats, a vertex after the other.
  template <class Put>
  void read(Put&& put) {
    while (at_ < end_) {
      skip_blanks();
      if (end_ - at_ > 1 && at_[0] == 'v' && (at_[1] == ' ' || at_[1] == '\t')) {
        ++at_;
        float x[3];
        for (float& value : x) value = number();
        if (!(std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2])))
          std::fill_n(x, 3, std::numeric_limits<float>::quiet_NaN());
        put(x);
      }
      const auto* newline = static_cast<const char*>(std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)));
      at_ = newline ? newline + 1 : end_;
    }
  }

 private:
  // Also past a backslash that joins a line with the next.
  void skip_blanks() {
    for (; at_ < end_; ++at_) {
      if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') continue;
      const char* next = at_ + 1;
      if (*at_ != '\\') return;
      if (next < end_ && *next == '\r') ++next;
      if (next >= end_ || *next != '\n') return;
      at_ = next;
    }
  }

  float number() {
    skip_blanks();
    if (at_ == end_ || *at_ == '\n' || *at_ == '#') fail("a vertex needs three numbers", "The file may be truncated.");
    const char* word_end = at_;
    while (word_end < end_ && std::strchr(" \t\r\n\\", *word_end) == nullptr) ++word_end;
    const std::string_view word(at_, static_cast<size_t>(word_end - at_));
    const char* begin = at_ + (*at_ == '+' ? 1 : 0);
    double value = 0;
    auto [stopped, error] = std::from_chars(begin, word_end, value);
    if (error == std::errc::result_out_of_range) {
      // Too small is harmless; too large is not finite.
      if (!parse_number(word, value)) value = std::numeric_limits<double>::infinity();
    } else if (error != std::errc() || stopped != word_end) {
      fail(fmt::format("a coordinate should be a number, not \"{:.40}\"", word), "");
    }
    const auto coordinate = static_cast<float>(value);
    if (!allow_holes_ && !std::isfinite(coordinate))
      fail(fmt::format("a coordinate should be a finite number, not \"{:.40}\"", word), "");
    at_ = word_end;
    return coordinate;
  }

  [[noreturn]] void fail(const std::string& fault, const std::string& advice) const {
    const auto line = 1 + std::count(text_.data(), at_, '\n');
    throw InputError({path_, static_cast<int>(line), 0, ""}, fault, advice);
  }

  std::string path_, text_;
  bool allow_holes_;
  const char *at_ = nullptr, *end_ = nullptr;
};

}  // namespace

bool is_obj_sequence(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return true;
  return extension(path) == ".obj" && placeholder(fs::path(path).filename().string());
}

ObjSequence find_obj_sequence(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return in_folder(path);
  const fs::path folder = fs::path(path).parent_path();
  const auto pattern = placeholder(fs::path(path).filename().string());
  if (!pattern)
    throw InputError({path, 0, 0, ""}, "this names one file, not one a frame",
                     "Write # for the digits of the frame's number, as in walk_####.obj, or name the folder.");
  if (placeholder(pattern->after))
    throw InputError({path, 0, 0, ""}, "the number of the frame is in the name twice", "Keep one run of #.");
  std::vector<NumberedFile> files;
  for (const std::string& name : names_in(folder, path)) {
    const size_t around = pattern->before.size() + pattern->after.size();
    if (name.size() <= around || !name.starts_with(pattern->before) || !name.ends_with(pattern->after)) continue;
    const auto number = number_of(std::string_view(name).substr(pattern->before.size(), name.size() - around));
    if (number) files.push_back({*number, name});
  }
  if (files.empty())
    throw InputError({path, 0, 0, ""}, "no file has such a name",
                     fmt::format("The first may be '{}0001{}', with any number.", pattern->before, pattern->after));
  put_in_order(path, files);
  return with_folder(folder, files);
}

PointCache read_obj_sequence(const std::string& path, bool allow_holes) {
  const ObjSequence sequence = find_obj_sequence(path);
  const std::vector<std::string>& files = sequence.files;
  if (files.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    throw InputError({path, 0, 0, ""}, "there are too many files");
  PointCache cache;
  FrameFile(files[0], allow_holes).read([&](const float* x) { cache.xyz.insert(cache.xyz.end(), x, x + 3); });
  const size_t n = cache.xyz.size() / 3;
  if (n == 0) throw InputError({files[0], 0, 0, ""}, "the file has no vertices", "It may be empty, or no OBJ file.");
  cache.n_points = static_cast<int>(n);
  cache.n_samples = static_cast<int>(files.size());
  cache.start = static_cast<double>(sequence.first);
  cache.xyz.resize(3 * n * files.size());

  // The first file that is wrong is the one told of, whichever thread finds one first.
  std::vector<std::exception_ptr> wrong(files.size());
  const auto read_frame = [&](size_t f) {
    size_t found = 0;
    float* out = cache.xyz.data() + 3 * n * f;
    FrameFile(files[f], allow_holes).read([&](const float* x) {
      if (found++ < n) out = std::copy_n(x, 3, out);
    });
    if (found == n) return;
    throw InputError({files[f], 0, 0, ""},
                     fmt::format("the file has {} vertices, the first frame '{}' has {}", found,
                                 fs::path(files[0]).filename().string(), n),
                     "Every frame must have the same vertices in the same order; this one may be cut short.");
  };
  parallel_for(files.size() - 1, 1, [&](size_t begin, size_t end) {
    for (size_t f = begin + 1; f < end + 1; ++f) {
      try {
        read_frame(f);
      } catch (const InputError&) {
        wrong[f] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : wrong)
    if (error) std::rethrow_exception(error);
  return cache;
}

}  // namespace supple
