#include "index/sketch_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "sketch/packed_signature.h"
#include "storage/string_table.h"

namespace kith::index {
namespace {

constexpr uint32_t max_lanes = 1024;
constexpr uint32_t max_smallest = 65536;

bool is_variable(SketchKind kind) {
  return kind == SketchKind::smallest || kind == SketchKind::modular;
}

bool are_minima(const SketchParams& params) {
  return params.lanes >= 16 && params.lanes <= max_lanes && params.lanes % 16 == 0;
}

bool is_family(MinHashFamily family) {
  return family == MinHashFamily::lanes || family == MinHashFamily::bins;
}

bool in_range(const SketchParams& params) {
  if (!is_family(params.family)) return false;
  switch (params.kind) {
    case SketchKind::minhash:
      return are_minima(params) && params.bits == 16;
    case SketchKind::packed:
      return are_minima(params) && params.bits >= 1 && params.bits <= max_packed_bits;
    case SketchKind::super_shingles:
      return params.lanes >= 1 && params.lanes <= max_lanes && params.per_super_shingle >= 1 &&
             params.per_super_shingle <= max_lanes;
    case SketchKind::smallest:
      return params.lanes >= 1 && params.lanes <= max_smallest;
    case SketchKind::modular:
      return true;
  }
  return false;
}

// Bytes of a sketch whose kind has sketches of one length.
size_t row_bytes(const SketchParams& params) {
  switch (params.kind) {
    case SketchKind::minhash:
      return params.lanes * sizeof(uint16_t);
    case SketchKind::packed:
      return packed_size(params.lanes, params.bits);
    default:
      return params.lanes * sizeof(uint64_t);
  }
}

// As docs/formats/sketches.md says.
std::string encode(const SketchParams& params, uint64_t count) {
  std::string bytes;
  append_fixed(bytes, static_cast<uint8_t>(params.kind));
  append_fixed(bytes, static_cast<uint8_t>(params.family));
  append_fixed(bytes, params.bits);
  append_fixed(bytes, uint8_t{0});
  append_fixed(bytes, params.lanes);
  append_fixed(bytes, params.per_super_shingle);
  append_fixed(bytes, uint32_t{0});
  append_fixed(bytes, params.seed);
  append_fixed(bytes, params.elements);
  append_fixed(bytes, count);
  return bytes;
}

bool ascends(HashSet values) {
  return std::ranges::adjacent_find(values, std::ranges::greater_equal()) == values.end();
}

}  // namespace

Result<SketchWriter> SketchWriter::create(storage::FileSystem& fs, const std::string& path,
                                          const SketchParams& params) {
  KITH_CHECK(in_range(params));
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, sketches_kind));
  KITH_TRY(file.begin("values"));
  return SketchWriter(std::move(file), params);
}

template <class T>
Status SketchWriter::add(SketchKind kind, std::span<const T> values, uint32_t elements) {
  KITH_CHECK(params_.kind == kind);
  if (is_variable(kind)) {
    offsets_.push_back(offsets_.back() + values.size());
  } else {
    KITH_CHECK(values.size_bytes() == row_bytes(params_));
  }
  sizes_.push_back(elements);
  return file_.append_array(values);
}

Status SketchWriter::add_minhash(std::span<const uint16_t> signature, uint32_t elements) {
  return add(SketchKind::minhash, signature, elements);
}
Status SketchWriter::add_packed(std::span<const uint8_t> packed, uint32_t elements) {
  return add(SketchKind::packed, packed, elements);
}
Status SketchWriter::add_super_shingles(std::span<const uint64_t> keys, uint32_t elements) {
  return add(SketchKind::super_shingles, keys, elements);
}
Status SketchWriter::add_smallest(HashSet values, uint32_t elements) {
  KITH_CHECK(values.size() == std::min(params_.lanes, elements));
  return add(SketchKind::smallest, values, elements);
}
Status SketchWriter::add_modular(const ModSketch& sketch, uint32_t elements) {
  KITH_CHECK(sketch.values.size() <= std::min(ModSketch::max_values, elements));
  levels_.push_back(static_cast<uint8_t>(sketch.level));
  return add(SketchKind::modular, std::span<const uint64_t>(sketch.values), elements);
}

Status SketchWriter::finish() {
  if (is_variable(params_.kind)) {
    KITH_TRY(file_.begin("values_at"));
    KITH_TRY(file_.append_array(std::span<const uint64_t>(offsets_)));
  }
  if (params_.kind == SketchKind::modular) {
    KITH_TRY(file_.begin("levels"));
    KITH_TRY(file_.append_array(std::span<const uint8_t>(levels_)));
  }
  KITH_TRY(file_.begin("sizes"));
  KITH_TRY(file_.append_array(std::span<const uint32_t>(sizes_)));
  KITH_TRY(file_.begin("params"));
  KITH_TRY(file_.append(encode(params_, sizes_.size())));
  return file_.finish();
}

Result<SketchFile> SketchFile::open(storage::FileSystem& fs, const std::string& path) {
  SketchFile sketches;
  KITH_ASSIGN(sketches.file_, storage::SectionFile::open(fs, path, sketches_kind));
  KITH_TRY(sketches.load_params());
  KITH_TRY(sketches.load_rows());
  return sketches;
}

Status SketchFile::load_params() {
  KITH_ASSIGN(const Bytes bytes, file_.section("params"));
  Cursor cursor(bytes);
  params_.kind = static_cast<SketchKind>(cursor.fixed<uint8_t>());
  params_.family = static_cast<MinHashFamily>(cursor.fixed<uint8_t>());
  params_.bits = cursor.fixed<uint8_t>();
  const auto zero = cursor.fixed<uint8_t>();
  params_.lanes = cursor.fixed<uint32_t>();
  params_.per_super_shingle = cursor.fixed<uint32_t>();
  const auto more_zeros = cursor.fixed<uint32_t>();
  params_.seed = cursor.fixed<uint64_t>();
  params_.elements = cursor.fixed<uint64_t>();
  count_ = cursor.fixed<uint64_t>();
  if (cursor.failed() || !cursor.at_end() || zero != 0 || more_zeros != 0 || !in_range(params_)) {
    return file_.corrupt("its parameters are of no kind of sketch");
  }
  return Status::ok();
}

Status SketchFile::load_rows() {
  KITH_ASSIGN(values_, file_.section("values"));
  KITH_ASSIGN(sizes_, file_.array<uint32_t>("sizes"));
  bool fits = sizes_.size() == count_;
  if (is_variable(params_.kind)) {
    KITH_ASSIGN(offsets_, file_.array<uint64_t>("values_at"));
    fits = fits && offsets_.size() == count_ + 1 && values_.size() % sizeof(uint64_t) == 0 &&
           storage::valid_offsets(offsets_, values_.size() / sizeof(uint64_t));
  } else {
    fits = fits && values_.size() / row_bytes(params_) == count_ &&
           values_.size() % row_bytes(params_) == 0;
  }
  if (params_.kind == SketchKind::modular) {
    KITH_ASSIGN(levels_, file_.array<uint8_t>("levels"));
    fits = fits && levels_.size() == count_;
  }
  for (uint64_t document = 0; fits && is_variable(params_.kind) && document < count_; ++document) {
    fits = is_sound(document);
  }
  return fits ? Status::ok() : Status(file_.corrupt("its sections do not fit together"));
}

// Whether a sketch has as many values as its document may have.
bool SketchFile::is_sound(uint64_t document) const {
  const uint64_t values = offsets_[document + 1] - offsets_[document];
  if (params_.kind == SketchKind::smallest) {
    return values == std::min(params_.lanes, sizes_[document]);
  }
  return values <= std::min(ModSketch::max_values, sizes_[document]) &&
         levels_[document] <= ModSketch::max_level &&
         (levels_[document] > 0 || values == sizes_[document]);
}

template <class T>
std::span<const T> SketchFile::row(uint64_t document) const {
  const size_t bytes = row_bytes(params_);
  return {reinterpret_cast<const T*>(values_.data() + document * bytes), bytes / sizeof(T)};
}

HashSet SketchFile::variable_row(uint64_t document) const {
  return {reinterpret_cast<const uint64_t*>(values_.data()) + offsets_[document],
          offsets_[document + 1] - offsets_[document]};
}

std::span<const uint16_t> SketchFile::minhash(uint64_t document) const {
  KITH_CHECK(params_.kind == SketchKind::minhash && document < size());
  return row<uint16_t>(document);
}
Signatures SketchFile::signatures() const {
  KITH_CHECK(params_.kind == SketchKind::minhash);
  const auto* const values = reinterpret_cast<const uint16_t*>(values_.data());
  return {{values, size() * params_.lanes}, params_.lanes, &file_.mapping()};
}
std::span<const uint8_t> SketchFile::packed(uint64_t document) const {
  KITH_CHECK(params_.kind == SketchKind::packed && document < size());
  return row<uint8_t>(document);
}
std::span<const uint64_t> SketchFile::super_shingles(uint64_t document) const {
  KITH_CHECK(params_.kind == SketchKind::super_shingles && document < size());
  return row<uint64_t>(document);
}
HashSet SketchFile::smallest(uint64_t document) const {
  KITH_CHECK(params_.kind == SketchKind::smallest && document < size());
  return variable_row(document);
}
ModSketch SketchFile::modular(uint64_t document) const {
  KITH_CHECK(params_.kind == SketchKind::modular && document < size());
  const HashSet values = variable_row(document);
  return {levels_[document], {values.begin(), values.end()}};
}

Status SketchFile::verify() const {
  KITH_TRY(file_.verify());
  for (uint64_t document = 0; is_variable(params_.kind) && document < size(); ++document) {
    const HashSet values = variable_row(document);
    const uint32_t level = levels_.empty() ? 0 : levels_[document];
    const uint64_t rest = (uint64_t{1} << level) - 1;
    const bool divisible =
        std::ranges::all_of(values, [&](uint64_t value) { return (value & rest) == 0; });
    if (!ascends(values) || !divisible) {
      return file_.corrupt(fmt::format("the sketch of document {} is out of order", document));
    }
  }
  return Status::ok();
}

Status SketchFile::check_comparable(const SketchFile& other) const {
  const SketchParams& a = params_;
  const SketchParams& b = other.params_;
  if (a == b) return Status::ok();
  const std::string_view what = a.kind != b.kind           ? "the kind of sketch"
                                : a.elements != b.elements ? "how documents become elements"
                                : a.family != b.family     ? "the family of hash functions"
                                : a.seed != b.seed         ? "the seed"
                                                           : "the number and size of values";
  return Error{ErrorKind::usage,
               fmt::format("{} and {} cannot be compared: {} differs; make one of them again with "
                           "the options of the other",
                           file_.path(), other.file_.path(), what)};
}

}  // namespace kith::index
