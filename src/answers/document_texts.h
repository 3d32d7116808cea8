// The texts of the documents of a run, from its input.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "kith/dedup_run.h"
#include "kith/status.h"

#include "crawl/read/page_finder.h"
#include "jobs/dedup/document_table.h"

namespace kith::answers {

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
