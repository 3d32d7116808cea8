// Readers of one input file: records in, drafts of pages out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kith/status.h"

#include "crawl/read/batch_decoder.h"
#include "crawl/read/records.h"
#include "crawl/read/unpacked_stream.h"

namespace kith::crawl {

// Used under the reader's lock.
class InputReader {
 public:
  virtual ~InputReader() = default;

  // Reads on until the batch is full or some hundred records have passed; false at the end of
  // the file. Damage is counted in the batch; an error only when the file cannot be read.
  virtual Result<bool> read(BatchBuilder& batch) = 0;

  virtual uint64_t bytes_read() const = 0;  // as they lie on disk
  virtual uint64_t bytes_unpacked() const = 0;
};

// Records that a reader passes before it returns from read(), so that progress is seen.
inline constexpr int kRecordsPerRead = 1000;

// `path` names the file in reports and outlives the reader, like all below.
std::unique_ptr<InputReader> make_archive_reader(UnpackedStream stream, const std::string& path,
                                                 ArchiveFormat format);

// One JSON object a line: "url", "html" or "text", and "title" if there is one.
std::unique_ptr<InputReader> make_jsonl_reader(UnpackedStream stream, const std::string& path);

// A file that is one page, html or text, whose URL or name is known from its place.
Result<std::unique_ptr<InputReader>> make_whole_reader(const std::string& path,
                                                       const std::string& url, PageKind kind);

}  // namespace kith::crawl
