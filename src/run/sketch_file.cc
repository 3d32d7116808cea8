#include "run/sketch_file.h"

#include "base/bytes.h"
#include "base/check.h"

namespace kith::run {
namespace {

constexpr uint32_t max_lanes = 1024;

// Bytes of the format: a MinHash signature, and the bits of its values.
constexpr uint8_t minhash_kind = 1;
constexpr uint8_t value_bits = 16;

bool in_range(const SketchParams& params) {
  const bool is_family =
      params.family == sketch::MinHashFamily::lanes || params.family == sketch::MinHashFamily::bins;
  return is_family && params.lanes >= 16 && params.lanes <= max_lanes && params.lanes % 16 == 0;
}

// As docs/formats/sketches.md says.
std::string encode(const SketchParams& params, uint64_t count) {
  std::string bytes;
  append_fixed(bytes, minhash_kind);
  append_fixed(bytes, static_cast<uint8_t>(params.family));
  append_fixed(bytes, value_bits);
  append_fixed(bytes, uint8_t{0});
  append_fixed(bytes, params.lanes);
  append_fixed(bytes, uint64_t{0});
  append_fixed(bytes, params.seed);
  append_fixed(bytes, params.elements);
  append_fixed(bytes, count);
  return bytes;
}

}  // namespace

Result<SketchWriter> SketchWriter::create(storage::FileSystem& fs, const std::string& path,
                                          const SketchParams& params) {
  KITH_CHECK(in_range(params));
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, sketches_kind));
  KITH_TRY(file.begin("values"));
  return SketchWriter(std::move(file), params);
}

Status SketchWriter::add(std::span<const uint16_t> signature, uint32_t elements) {
  KITH_CHECK(signature.size() == params_.lanes);
  sizes_.push_back(elements);
  return file_.append_array(signature);
}

Status SketchWriter::finish() {
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
  KITH_TRY(sketches.load_values());
  return sketches;
}

Status SketchFile::load_params() {
  KITH_ASSIGN(const Bytes bytes, file_.section("params"));
  Cursor cursor(bytes);
  const auto kind = cursor.fixed<uint8_t>();
  params_.family = static_cast<sketch::MinHashFamily>(cursor.fixed<uint8_t>());
  const auto bits = cursor.fixed<uint8_t>();
  const auto zero = cursor.fixed<uint8_t>();
  params_.lanes = cursor.fixed<uint32_t>();
  const auto more_zeros = cursor.fixed<uint64_t>();
  params_.seed = cursor.fixed<uint64_t>();
  params_.elements = cursor.fixed<uint64_t>();
  count_ = cursor.fixed<uint64_t>();
  const bool is_minhash = kind == minhash_kind && bits == value_bits;
  if (cursor.failed() || !cursor.at_end() || !is_minhash || zero != 0 || more_zeros != 0 ||
      !in_range(params_)) {
    return file_.corrupt("its parameters are of no kind of sketch");
  }
  return Status::ok();
}

Status SketchFile::load_values() {
  KITH_ASSIGN(values_, file_.array<uint16_t>("values"));
  KITH_ASSIGN(const auto sizes, file_.array<uint32_t>("sizes"));
  const bool fits = sizes.size() == count_ && values_.size() / params_.lanes == count_ &&
                    values_.size() % params_.lanes == 0;
  return fits ? Status::ok() : Status(file_.do_not_fit());
}

sketch::Signatures SketchFile::signatures() const {
  return {values_, params_.lanes, &file_.mapping()};
}

}  // namespace kith::run
