#include "arrays.h"

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "bindings.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse(const char* name, const std::string& why) {
  throw Raised{{ErrorKind::usage, fmt::format("{}: {}", name, why)}};
}

// Of a truth value of NumPy, too.
bool is_true(const nb::object& value) {
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::string written(nb::handle object) {
  return nb::cast<std::string>(nb::str(object));
}

void refuse_masked(const nb::module_& numpy, nb::handle object, const char* name) {
  const nb::object masked = numpy.attr("ma");
  if (!nb::isinstance(object, masked.attr("MaskedArray"))) return;
  const nb::object mask = masked.attr("getmaskarray")(object);
  if (!is_true(mask.attr("any")())) return;
  refuse(name, fmt::format("row {} is masked; give values for all, or leave such rows out",
                           written(mask.attr("argmax")())));
}

// Names the first value outside of [least, most], both Python numbers.
void refuse_outside(const nb::object& array, nb::handle least, nb::handle most, const char* name) {
  for (const bool is_low : {true, false}) {
    const nb::object outside = is_low ? array.attr("__lt__")(least) : array.attr("__gt__")(most);
    if (!is_true(outside.attr("any")())) continue;
    const nb::object row = outside.attr("argmax")();
    refuse(name,
           fmt::format("row {} is {}, not in [{}, {}]", written(row),
                       written(array.attr("__getitem__")(row)), written(least), written(most)));
  }
}

// Whether all numbers of a kind of NumPy may be asked for as T.
template <class T>
bool is_fit(std::string_view kind, size_t item_size) {
  if (kind == "i" || kind == "u") return true;
  return std::is_same_v<T, double> && kind == "f" && item_size <= sizeof(double);
}

template <class T>
std::pair<nb::int_, nb::int_> limits() {
  if constexpr (std::is_same_v<T, double>) {
    constexpr int64_t exact = int64_t{1} << 53;  // integers beyond it are not all doubles
    return {nb::int_(-exact), nb::int_(exact)};
  } else {
    return {nb::int_(0), nb::int_(uint64_t{std::numeric_limits<T>::max()})};
  }
}

template <class T>
const char* type_name() {
  if (std::is_same_v<T, double>) return "float64";
  return sizeof(T) == 2 ? "uint16" : sizeof(T) == 4 ? "uint32" : "uint64";
}

}  // namespace

template <class T>
Input<T> checked_array(nb::handle object, const char* name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  refuse_masked(numpy, object, name);
  const nb::object array = numpy.attr("asarray")(object);
  if (nb::cast<size_t>(array.attr("ndim")) != 1) refuse(name, "must be an array of one dimension");
  const nb::object type = array.attr("dtype");
  const auto kind = nb::cast<std::string>(type.attr("kind"));
  if (nb::cast<size_t>(array.attr("size")) > 0) {
    if (!is_fit<T>(kind, nb::cast<size_t>(type.attr("itemsize")))) {
      refuse(name, fmt::format("of type {}, not {}", written(type), type_name<T>()));
    }
    const auto [least, most] = limits<T>();
    if (kind != "f") refuse_outside(array, least, most, name);
  }
  return nb::cast<Input<T>>(numpy.attr("ascontiguousarray")(array, type_name<T>()));
}

template Input<uint16_t> checked_array<uint16_t>(nb::handle object, const char* name);
template Input<uint32_t> checked_array<uint32_t>(nb::handle object, const char* name);
template Input<uint64_t> checked_array<uint64_t>(nb::handle object, const char* name);
template Input<double> checked_array<double>(nb::handle object, const char* name);

namespace {

void add_varint(std::vector<uint8_t>& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

// Takes a number off the front of the bytes; false where there is none of 32 bits.
bool take_varint(std::span<const uint8_t>& bytes, uint32_t& value) {
  uint64_t found = 0;
  for (size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    found |= uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if (bytes[i] >= 0x80) continue;
    value = static_cast<uint32_t>(found);
    bytes = bytes.subspan(i + 1);
    return found <= UINT32_MAX;
  }
  return false;
}

}  // namespace

Result<std::vector<uint8_t>> shorten(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> entries) {
  std::vector<uint8_t> bytes;
  bytes.reserve(entries.size() * 5);
  for (size_t bag = 0; bag + 1 < offsets.size(); ++bag) {
    if (offsets[bag] > offsets[bag + 1] || offsets[bag + 1] > entries.size()) {
      return Error{ErrorKind::usage, "offsets: must be those of the entries"};
    }
    uint32_t before = 0;
    for (const uint64_t entry : entries.subspan(offsets[bag], offsets[bag + 1] - offsets[bag])) {
      const auto term = static_cast<uint32_t>(entry);
      add_varint(bytes, uint32_t{term - before});
      add_varint(bytes, entry >> 32);
      before = term;
    }
  }
  return bytes;
}

Result<std::vector<uint64_t>> restore(std::span<const uint8_t> bytes,
                                      std::span<const uint64_t> sizes) {
  const Error damaged{ErrorKind::corrupt, "bags: their bytes and their sizes do not fit together"};
  std::vector<uint64_t> entries;
  entries.reserve(bytes.size() / 4);
  for (const uint64_t size : sizes) {
    if (size > bytes.size() / 2) return damaged;  // an entry has two bytes or more
    uint32_t term = 0;
    for (uint64_t i = 0; i < size; ++i) {
      uint32_t distance = 0;
      uint32_t weight = 0;
      if (!take_varint(bytes, distance) || !take_varint(bytes, weight)) return damaged;
      term += distance;
      entries.push_back(uint64_t{weight} << 32 | term);
    }
  }
  return bytes.empty() ? Result<std::vector<uint64_t>>(std::move(entries)) : damaged;
}

}  // namespace kith::python
