// Documents without the boilerplate of their sites (docs/algorithms/boilerplate.md): words of
// template blocks are in no shingle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "kith/dedup.h"
#include "kith/status.h"

#include "bags/boilerplate/templates.h"
#include "crawl/read/page_reader.h"
#include "jobs/dedup/document_spool.h"
#include "jobs/dedup/read.h"

namespace kith::jobs {

// What options.boilerplate is, or is for its input: see DedupOptions. Errors: those of reading it,
// except that it is not there.
Result<Boilerplate> chosen_boilerplate(const DedupOptions& options);

// The templates of all sites. Of every URL the first sound capture counts: what is captured again
// and again is no template. Of documents without an http(s) URL none is known. The same for any
// threads and memory. An error of kind usage when the memory is too small; it names the minimum.
Result<bags::Templates> find_templates(const DocumentSpool& spool, const DedupResources& resources,
                                       unsigned workers);

// One worker's filter. Not thread-safe.
class DocumentFilter {
 public:
  // `tally` must outlive this object.
  explicit DocumentFilter(bags::BoilerplateTally& tally) : filter_(tally), tally_(&tally) {}

  // The text of a document without the template blocks of the sites of its URL, moved together in
  // its place, with a line feed where something is left out; the whole text where nothing else is
  // left of it, and where the sites have no template.
  std::string_view filter(const SpooledBlocks& blocks, std::span<char> text);

  // Of all documents so far; without hosts and blocks, which the tally knows.
  const BoilerplateReport& counts() const { return counts_; }

 private:
  bags::BoilerplateFilter filter_;
  const bags::BoilerplateTally* tally_;
  BoilerplateReport counts_;
};

// Reads documents without the boilerplate of their sites. Takes texts, part by part, in the order
// of the input.
using TakeTexts = std::function<Status(SpoolPart& part)>;

// Hands on the texts of all pages.
Status spool_texts(const ReadingJob& job, crawl::PageReader& reader, const TakeTexts& take);

// Writes the documents of the texts that read(take) hands on, once: they wait in a temporary file
// (document_spool.h), of about their size, until the templates are known.
Status write_without_boilerplate(const ReadingJob& job, DocumentWriter& writer,
                                 const std::function<Status(const TakeTexts& take)>& read);

}  // namespace kith::jobs
