// Documents of a finished run by their names, and their texts.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/dedup_run.h"
#include "kith/status.h"

#include "crawl/read/page_reader.h"
#include "jobs/dedup/document_table.h"

namespace kith::answers {

// Documents by their names.

// Immutable, thread-safe. Holds 8 to 16 bytes a document.
class NameIndex {
 public:
  // The documents outlive this object.
  explicit NameIndex(const jobs::DocumentTable& documents);

  // The first document of that name.
  std::optional<uint32_t> find(std::string_view name) const;

 private:
  static constexpr uint32_t none = UINT32_MAX;
  // Where the name stands, or would.
  size_t slot_of(std::string_view name) const;

  const jobs::DocumentTable& documents_;
  std::vector<uint32_t> slots_;  // a power of two of them, at least a third of them empty
};

// The texts of the documents of a run, from its input.

// Reads no other files than those that the run names as its input. Thread-safe.
class DocumentTexts {
 public:
  // Both outlive this object.
  static Result<DocumentTexts> make(const DedupOptions& options,
                                    const jobs::DocumentTable& documents);

  // As DedupRun::text().
  Result<DocumentText> read(uint32_t id, std::chrono::milliseconds patience) const;

 private:
  DocumentTexts(const DedupOptions& options, const jobs::DocumentTable& documents,
                crawl::CrawlOptions crawl)
      : options_(&options),
        documents_(&documents),
        finder_(std::make_unique<crawl::PageFinder>(std::move(crawl))) {}

  bool is_as_read(uint32_t id, std::string_view text) const;

  const DedupOptions* options_;
  const jobs::DocumentTable* documents_;
  std::unique_ptr<crawl::PageFinder> finder_;
};

}  // namespace kith::answers
