#include "supple/io/gltf/gltf_data.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "supple/base/reading_scope.h"
#include "supple/io/bytes.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

const char* const kCut = "The file is truncated or damaged: export or download it again.";

constexpr size_t kFreeNumbers = size_t{1} << 25, kNumbersPerByte = 128;

template <class T>
T load(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return in_order(value, std::endian::little);
}

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

// False when a character is none of the alphabet.
bool decode_base64(std::string_view text, std::string& out) {
  uint32_t bits = 0;
  int n_bits = 0;
  out.reserve(text.size() / 4 * 3);
  for (const char c : text) {
    if (c == '=') break;
    const int digit = digit_of(c);
    if (digit < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      out += static_cast<char>(bits >> n_bits & 0xff);
    }
  }
  return true;
}

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "my%20file.bin"
std::string decode_percents(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_of(text[i + 1]) >= 0 && hex_of(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * hex_of(text[i + 1]) + hex_of(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

double gltf_number_at(const unsigned char* at, GltfComponent component) {
  switch (component) {
    case GltfComponent::i8:
      return load<int8_t>(at);
    case GltfComponent::u8:
      return load<uint8_t>(at);
    case GltfComponent::i16:
      return load<int16_t>(at);
    case GltfComponent::u16:
      return load<uint16_t>(at);
    case GltfComponent::u32:
      return load<uint32_t>(at);
    default:
      return static_cast<double>(load<float>(at));
  }
}

std::string load_gltf_uri(const GltfFile& file, const GltfBuffer& buffer, const std::string& place) {
  const std::string& uri = buffer.uri;
  if (uri.starts_with("data:")) {
    const size_t comma = uri.find(',');
    std::string bytes;
    if (comma == std::string::npos || uri.substr(0, comma).find(";base64") == std::string::npos ||
        !decode_base64(std::string_view(uri).substr(comma + 1), bytes)) {
      file.fail(place, "its data are not valid base64", kCut);
    }
    return bytes;
  }
  if (uri.find("://") != std::string::npos) {
    file.fail(place, fmt::format("\"{:.200}\" is not a file beside this one", uri), "Download it and name it there.");
  }
  const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
  const std::filesystem::path path = folder / decode_percents(uri);
  reading_scope().require(path.string(), folder.string(), {file.path, 0, 0, place});
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    file.fail(place, fmt::format("the file {} is missing", path.string()),
              "A .gltf keeps its data in files of their own: put them beside it, or export .glb.");
  }
  return read_whole_file(path.string(), fmt::format("{} of {}", place, file.path), buffer.length);
}

double gltf_fraction(GltfComponent component, double integer) {
  switch (component) {
    case GltfComponent::i8:
      return std::max(integer / 127, -1.0);
    case GltfComponent::u8:
      return integer / 255;
    case GltfComponent::i16:
      return std::max(integer / 32767, -1.0);
    case GltfComponent::u16:
      return integer / 65535;
    case GltfComponent::u32:
      return integer / 4294967295.0;
    default:
      return integer;
  }
}

// Lists may share data and packed data grows, but not without limit.
GltfData::GltfData(const GltfFile& file) : file_(file), budget_(kFreeNumbers + kNumbersPerByte * file.content.size()) {}

void GltfData::charge(size_t count, size_t width, const std::string& place) {
  if (count > budget_ / width) {
    file_.fail(place, fmt::format("{} elements are more than a file of this size can hold", count), kCut);
  }
  budget_ -= count * width;
}

GltfBytes GltfData::buffer(int index, const std::string& place) {
  const GltfBuffer& b = file_.buffers[static_cast<size_t>(index)];
  const std::string here = fmt::format("{}{}buffer {}", place, place.empty() ? "" : ", ", index);
  const auto* begin = reinterpret_cast<const unsigned char*>(file_.content.data()) + file_.bin_begin;
  size_t there = file_.bin_length;
  if (!b.uri.empty()) {
    auto found = loaded_.find(index);
    if (found == loaded_.end()) found = loaded_.emplace(index, load_gltf_uri(file_, b, here)).first;
    begin = reinterpret_cast<const unsigned char*>(found->second.data());
    there = found->second.size();
  } else if (index != 0 || file_.bin_begin == 0) {
    file_.fail(here, "it has no data: it names no file and is not the binary part", kCut);
  }
  if (there < b.length) {
    file_.fail(here, fmt::format("it should have {} bytes, but {} are there", b.length, there), kCut);
  }
  return {begin, b.length};
}

GltfBytes GltfData::view(int index, const std::string& place) {
  const GltfView& v = file_.views[static_cast<size_t>(index)];
  const std::string here = fmt::format("{}{}buffer view {}", place, place.empty() ? "" : ", ", index);
  auto part = [&](int of, size_t offset, size_t length) {
    if (of < 0) file_.fail(here, "it names no buffer", kCut);
    const GltfBytes bytes = buffer(of, here);
    if (offset > bytes.size() || length > bytes.size() - offset) {
      file_.fail(here,
                 fmt::format("bytes {} to {} are outside the buffer of {} bytes", offset,
                             static_cast<double>(offset) + static_cast<double>(length), bytes.size()),
                 kCut);
    }
    return bytes.subspan(offset, length);
  };
  if (!v.packing) return part(v.buffer, v.offset, v.length);
  auto found = unpacked_.find(index);
  if (found == unpacked_.end()) {
    const GltfBytes packed = part(v.packing->buffer, v.packing->offset, v.packing->length);
    found = unpacked_.emplace(index, unpack_meshopt(file_, *v.packing, packed, here)).first;
    charge(found->second.size(), 1, here);
  }
  return {found->second.data(), found->second.size()};
}

// The bytes from the first element on, once it is certain that all are there.
GltfBytes GltfData::elements(int index, size_t offset, size_t count, size_t element, size_t& stride,
                             const std::string& place) {
  const GltfBytes bytes = view(index, place);
  stride = file_.views[static_cast<size_t>(index)].stride;
  if (stride == 0) stride = element;
  if (stride < element) file_.fail(place, fmt::format("elements of {} bytes overlap: {} apart", element, stride), kCut);
  const bool fits =
      offset <= bytes.size() &&
      (count == 0 || (bytes.size() - offset >= element && (bytes.size() - offset - element) / stride >= count - 1));
  if (!fits) {
    file_.fail(place,
               fmt::format("{} elements do not fit into the {} bytes of buffer view {}", count, bytes.size(), index),
               kCut);
  }
  return bytes.subspan(offset);
}

std::vector<double> GltfData::read(int index, bool scaled, const std::string& place) {
  const GltfAccessor& a = accessor(index);
  const std::string here = fmt::format("{}{}accessor {}", place, place.empty() ? "" : ", ", index);
  const size_t width = static_cast<size_t>(a.width), size = byte_size(a.component), element = width * size;
  charge(a.count, width, here);
  auto convert = [&](const unsigned char* at) {
    const double number = gltf_number_at(at, a.component);
    return scaled && a.normalized ? gltf_fraction(a.component, number) : number;
  };
  std::vector<double> out;
  if (a.view >= 0) {
    size_t stride = 0;
    const GltfBytes bytes = elements(a.view, a.offset, a.count, element, stride, here);
    out.resize(a.count * width);
    for (size_t i = 0; i < a.count; ++i) {
      for (size_t k = 0; k < width; ++k) out[i * width + k] = convert(bytes.data() + i * stride + k * size);
    }
  } else {
    out.resize(a.count * width);
  }
  if (a.sparse) {
    const GltfSparse& s = *a.sparse;
    size_t index_stride = 0, value_stride = 0;
    const GltfBytes indices = elements(s.indices_view, s.indices_offset, s.count, byte_size(s.indices_component),
                                       index_stride, here + ", sparse indices");
    const GltfBytes changed =
        elements(s.values_view, s.values_offset, s.count, element, value_stride, here + ", sparse values");
    for (size_t i = 0; i < s.count; ++i) {
      const double to = gltf_number_at(indices.data() + i * index_stride, s.indices_component);
      if (!(to >= 0 && to < static_cast<double>(a.count))) {
        file_.fail(here, fmt::format("sparse index {} is outside 0 .. {}", to, a.count), kCut);
      }
      for (size_t k = 0; k < width; ++k) {
        out[static_cast<size_t>(to) * width + k] = convert(changed.data() + i * value_stride + k * size);
      }
    }
  }
  return out;
}

std::vector<double> GltfData::values(int index, const std::string& place) { return read(index, true, place); }

std::vector<double> GltfData::plain_values(int index, const std::string& place) { return read(index, false, place); }

std::vector<uint32_t> GltfData::whole_numbers(int index, const std::string& place) {
  const GltfAccessor& a = accessor(index);
  if (a.width != 1 ||
      (a.component != GltfComponent::u8 && a.component != GltfComponent::u16 && a.component != GltfComponent::u32)) {
    file_.fail(fmt::format("{}, accessor {}", place, index), "indices should be unsigned whole numbers", kCut);
  }
  const std::vector<double> numbers = read(index, false, place);
  return {numbers.begin(), numbers.end()};
}

}  // namespace supple
