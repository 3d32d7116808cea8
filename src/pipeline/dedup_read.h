// The first stage of `kith dedup`: documents from the input to their elements and signatures.
#pragma once

#include <string>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "crawl/page_reader.h"
#include "index/sketch_file.h"
#include "parallel/thread_pool.h"
#include "pipeline/document_table.h"
#include "storage/file_system.h"
#include "text/shingles.h"

namespace kith::pipeline {

// How documents become elements and signatures.
text::ShingleOptions shingle_options(const DedupOptions& options);
index::SketchParams sketch_params(const DedupOptions& options);

// What is read, and how: nameless documents, and every capture of a URL.
Result<crawl::CrawlOptions> crawl_options(const DedupOptions& options);

struct DocumentsRead {
  CrawlCounts crawl;
  DocumentCounts documents;
};

// Reads all inputs and writes the files of the documents to the folder `path`. Ids are the order of
// the input. Memory: some 50 MB a thread, more where single pages are large, and 20 bytes a
// document.
Result<DocumentsRead> read_documents(storage::FileSystem& fs, const std::string& path,
                                     const DedupOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress);

}  // namespace kith::pipeline
