// The sketch stage: a signature for every bag (docs/formats/signatures.md).
#pragma once

#include <string>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind signatures_kind{"sign", 1};

// Signatures mapped from their file.
class SignatureTable {
 public:
  // An error when the file does not hold `count` signatures of `lanes` values.
  static Result<SignatureTable> open(storage::FileSystem& fs, const std::string& path,
                                     uint32_t lanes, uint64_t count);
  const sketch::Signatures& signatures() const { return signatures_; }
  Status verify() const { return file_.verify(); }
  // See BagTable::stay().
  Status stay();

 private:
  storage::SectionFile file_;
  LargeArray<uint16_t> own_values_;  // of signatures that stay
  sketch::Signatures signatures_;
};

// Sketches all bags and writes the file. Memory: a few megabytes a thread.
Status write_signatures(storage::FileSystem& fs, const std::string& path,
                        const sketch::BagCollection& bags, const sketch::SketchOptions& options,
                        ThreadPool& pool);

// Sketches the bags [begin, end) and appends their rows to the current section of `file`.
Status append_signatures(storage::SectionWriter& file, const sketch::BagCollection& bags,
                         size_t begin, size_t end, const sketch::SketchOptions& options,
                         ThreadPool& pool);

}  // namespace kith::jobs
