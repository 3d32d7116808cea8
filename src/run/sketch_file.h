// The MinHash signatures of the documents of a collection in a file, so that later documents can be
// compared with them without reading the earlier ones again. The byte format is
// docs/formats/sketches.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "sketch/minhash.h"
#include "sketch/signature.h"
#include "storage/section_file.h"

namespace kith::run {

inline constexpr storage::FileKind sketches_kind{"sket", 1};

// How the sketches were made. Sketches are comparable when all of it is equal.
struct SketchParams {
  sketch::MinHashFamily family = sketch::MinHashFamily::lanes;
  uint32_t lanes = 128;  // values of a sketch: a multiple of 16 up to 1024
  uint64_t seed = 0;
  uint64_t elements = 0;  // tells how elements were made, e.g. a hash of the shingle options
  friend bool operator==(const SketchParams&, const SketchParams&) = default;
};

// Writes the sketches of documents 0, 1, 2 ... in order. Not thread-safe.
class SketchWriter {
 public:
  // REQUIRES: params in range.
  static Result<SketchWriter> create(storage::FileSystem& fs, const std::string& path,
                                     const SketchParams& params);

  // elements: how many the document has. REQUIRES: as many values as the parameters say.
  Status add(std::span<const uint16_t> signature, uint32_t elements);

  Status finish();

 private:
  SketchWriter(storage::SectionWriter file, const SketchParams& params)
      : file_(std::move(file)), params_(params) {}

  storage::SectionWriter file_;
  SketchParams params_;
  std::vector<uint32_t> sizes_;
};

// Immutable, thread-safe; views live as long as this object. Opening checks that the sections fit
// together and sizes are what the parameters allow, so that no view leads outside.
class SketchFile {
 public:
  static Result<SketchFile> open(storage::FileSystem& fs, const std::string& path);

  const SketchParams& params() const { return params_; }
  uint64_t size() const { return count_; }
  sketch::Signatures signatures() const;

 private:
  Status load_params();
  Status load_values();

  storage::SectionFile file_;
  SketchParams params_;
  uint64_t count_ = 0;
  std::span<const uint16_t> values_;
};

}  // namespace kith::run
