// Shards of a run of `kith dedup` (docs/formats/shards.md): what one keeps of its documents, and
// how all become the documents of one run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "jobs/dedup/boilerplate.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_spool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/read.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::jobs {

inline constexpr storage::FileKind shard_texts_kind{"dtxt", 2};
inline constexpr storage::FileKind shard_links_kind{"dlnk", 1};

// Documents of one input file that follow each other: a row of a file of texts.
struct ShardTextPart {
  uint64_t blocks_bytes =
      0;  // of the frame, unpacked, the bytes of the blocks; then come the texts
  uint32_t file = 0;
  uint32_t documents = 0;
};
static_assert(sizeof(ShardTextPart) == 16);

// The texts of a shard whose boilerplate is left out once that of all shards is known: in parts of
// a megabyte, whatever parts they come in. Not thread-safe. Holds 24 bytes per part.
class ShardTextsWriter {
 public:
  // Writes to the folder `path`.
  static Result<ShardTextsWriter> create(storage::FileSystem& fs, const std::string& path);
  // The next documents in the order of the input.
  Status append(const SpoolPart& part);
  uint64_t documents() const { return documents_; }
  // `files`: the paths of the input files of all shards.
  Status finish(std::span<const std::string> files);

 private:
  explicit ShardTextsWriter(storage::SectionWriter file) : file_(std::move(file)) {}
  Status end_part();

  storage::SectionWriter file_;
  std::vector<ShardTextPart> parts_;
  std::vector<uint64_t> texts_at_{0};
  uint64_t documents_ = 0;
  ShardTextPart part_;  // that is being filled
  std::string blocks_;
  std::string texts_;
  std::string frame_;
};

// The links of a document: a row of a file of links.
struct ShardLinks {
  uint64_t url = 0;  // as PageLinks::url()
  uint32_t document = 0;
  uint32_t targets = 0;  // how many
};
static_assert(sizeof(ShardLinks) == 16);

// The links of a shard's documents, which come in ascending order. Not thread-safe. Holds 16 bytes
// per document.
class ShardLinksWriter : public LinkSink {
 public:
  // Writes to the folder `path`.
  static Result<std::unique_ptr<ShardLinksWriter>> create(storage::FileSystem& fs,
                                                          const std::string& path);
  Status add(unsigned worker, uint32_t document, uint64_t url,
             std::span<const uint64_t> targets) override;
  Status finish();

 private:
  explicit ShardLinksWriter(storage::SectionWriter file) : file_(std::move(file)) {}

  storage::SectionWriter file_;
  std::vector<ShardLinks> rows_;
};

// All shards of one run, by their numbers. Errors of kind usage: one is missing or there twice;
// they were made with other options, of other inputs or by another version.
Result<std::vector<DedupDirectory>> open_dedup_shards(storage::FileSystem& fs,
                                                      std::span<const std::string> directories);

// Writes the documents of all shards to the folder `path`, as read_documents() would of the whole.
Result<DocumentsRead> merge_documents(const std::string& path, const DedupOptions& options,
                                      std::span<const DedupDirectory> shards,
                                      const DedupResources& resources,
                                      const ProgressCallback& progress);

}  // namespace kith::jobs
