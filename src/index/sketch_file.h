// The sketches of a collection in a file, so that later documents can be compared with them without
// reading the earlier ones again. The byte format is docs/formats/sketches.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "sketch/minhash.h"
#include "sketch/mod_sketch.h"
#include "sketch/set_overlap.h"
#include "sketch/signature.h"
#include "storage/section_file.h"

namespace kith::index {

inline constexpr storage::FileKind sketches_kind{"sket", 1};

// Part of the file format.
enum class SketchKind : uint8_t {
  minhash = 1,         // m values of 16 bits (sketch/minhash.h)
  packed = 2,          // m values of 1 to 8 bits (sketch/packed_signature.h)
  super_shingles = 3,  // 64-bit keys (sketch/super_shingles.h)
  smallest = 4,        // MIN_s (sketch/min_sketch.h)
  modular = 5,         // MOD_m, m = 2^i (sketch/mod_sketch.h)
};

// How the sketches were made. Sketches are comparable when all of it is equal; what a kind does not
// use keeps its default.
struct SketchParams {
  SketchKind kind = SketchKind::minhash;
  MinHashFamily family = MinHashFamily::lanes;  // minhash, packed, super_shingles
  uint8_t bits = 16;                            // of a value: 16 for minhash, 1 to 8 for packed
  // Values of a sketch: m for minhash and packed (multiples of 16 up to 1024), the number of
  // super-shingles (up to 1024), the s of MIN_s (up to 65536).
  uint32_t lanes = 128;
  uint32_t per_super_shingle = 0;  // minima of one, in [1, 1024]: super_shingles
  uint64_t seed = 0;               // of the MinHash: minhash, packed, super_shingles
  uint64_t elements = 0;  // tells how elements were made, e.g. a hash of the shingle options
  friend bool operator==(const SketchParams&, const SketchParams&) = default;
};

// Writes the sketches of documents 0, 1, 2 ... in order. Not thread-safe. Each add takes the number
// of elements that the document has, which tells containment from resemblance.
class SketchWriter {
 public:
  // REQUIRES: params in range.
  static Result<SketchWriter> create(storage::FileSystem& fs, const std::string& path,
                                     const SketchParams& params);

  // Each for its kind. REQUIRES: as many values or bytes as the parameters say, and min(s,
  // elements) of MIN_s.
  Status add_minhash(std::span<const uint16_t> signature, uint32_t elements);
  Status add_packed(std::span<const uint8_t> packed, uint32_t elements);
  Status add_super_shingles(std::span<const uint64_t> keys, uint32_t elements);
  Status add_smallest(HashSet values, uint32_t elements);
  Status add_modular(const ModSketch& sketch, uint32_t elements);

  Status finish();

 private:
  SketchWriter(storage::SectionWriter file, const SketchParams& params)
      : file_(std::move(file)), params_(params) {}
  template <class T>
  Status add(SketchKind kind, std::span<const T> values, uint32_t elements);

  storage::SectionWriter file_;
  SketchParams params_;
  std::vector<uint32_t> sizes_;
  std::vector<uint64_t> offsets_{0};  // in values; of kinds whose sketches differ in length
  std::vector<uint8_t> levels_;       // of kind modular
};

// Immutable, thread-safe; views live as long as this object. Opening checks that the sections fit
// together and sizes are what the parameters allow, so that no view leads outside.
class SketchFile {
 public:
  static Result<SketchFile> open(storage::FileSystem& fs, const std::string& path);

  const SketchParams& params() const { return params_; }
  uint64_t size() const { return sizes_.size(); }
  // The number of elements of a document.
  uint32_t elements(uint64_t document) const { return sizes_[document]; }

  // Each for its kind. REQUIRES: document < size(), params().kind is the kind.
  std::span<const uint16_t> minhash(uint64_t document) const;
  Signatures signatures() const;  // all of kind minhash
  std::span<const uint8_t> packed(uint64_t document) const;
  std::span<const uint64_t> super_shingles(uint64_t document) const;
  HashSet smallest(uint64_t document) const;
  ModSketch modular(uint64_t document) const;

  // Reads everything: the checksums, and that values ascend and are divisible as they must.
  Status verify() const;

  // An error of kind usage that says what differs, unless sketches of both files can be compared.
  Status check_comparable(const SketchFile& other) const;

 private:
  Status load_params();
  Status load_rows();
  template <class T>
  std::span<const T> row(uint64_t document) const;
  HashSet variable_row(uint64_t document) const;
  bool is_sound(uint64_t document) const;

  storage::SectionFile file_;
  SketchParams params_;
  uint64_t count_ = 0;
  Bytes values_;
  std::span<const uint32_t> sizes_;
  std::span<const uint64_t> offsets_;
  std::span<const uint8_t> levels_;
};

}  // namespace kith::index
