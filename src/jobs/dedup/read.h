// The first stage of `kith dedup`: documents from the input to their elements and signatures.
#pragma once

#include <string>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/shingles.h"
#include "kith/status.h"

#include "crawl/read/page_reader.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/resources.h"
#include "run/sketch_file.h"
#include "text/words/shingles.h"

namespace kith::jobs {

// How documents become elements and signatures.
text::ShingleOptions shingle_options(const ShingleOptions& options);
text::ShingleOptions shingle_options(const DedupOptions& options);
run::SketchParams sketch_params(const DedupOptions& options);

// What is read, and how: nameless documents, and every capture of a URL.
Result<crawl::CrawlOptions> document_options(const DedupOptions& options);

struct DocumentsRead {
  CrawlCounts crawl;
  DocumentCounts documents;
  BoilerplateReport boilerplate;
};

// Reads all inputs and writes the files of the documents to the folder `path`: with all shingles,
// and so without sketches where some of these are to be dropped (common_shingles.h). Ids are the
// order of the input. Of the memory of the resources reading takes what its pages need
// (ReadingBudget), and 20 bytes per document. With Boilerplate::remove the templates of its sites
// are found before (jobs/dedup/boilerplate.h). An error of
// kind usage when that is too little, or when in-links are to be counted and no document has a
// link.
Result<DocumentsRead> read_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress);

}  // namespace kith::jobs
