// Digests of pages on the disk, from when they are read until the templates of their sites are
// known.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/page_digest.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

class DigestSpool {
 public:
  // One worker's buffer in front of the spool. Not thread-safe.
  class Writer {
   public:
    // `spool` must outlive this object.
    explicit Writer(DigestSpool& spool) : spool_(&spool) {}
    Status add(const PageDigest& page);
    Status flush();

   private:
    void append_part();

    DigestSpool* spool_;
    std::string pages_;
    std::string part_;
  };

  // `fs` must outlive this object.
  static Result<std::unique_ptr<DigestSpool>> create(storage::FileSystem& fs,
                                                     const std::string& path);

  // Ends writing. To be called once, when all writers are flushed.
  Status close() { return file_->close(); }

  // What of each page is read: its URL and its blocks alone take a fraction of the time.
  enum class Part : uint8_t { head, whole };

  // Calls visit(worker, page) for every page, in any order, by so many threads of the pool at most,
  // until it returns an error. Large pages come one at a time: forget(worker) is called behind
  // each. REQUIRES: close() was called. May be called several times.
  using Visit = std::function<Status(unsigned worker, const PageDigest& page)>;
  using Forget = std::function<void(unsigned worker)>;
  Status for_each(ThreadPool& pool, unsigned workers, Part part, const Visit& visit,
                  const Forget& forget) const;

  // Removes the file.
  Status remove() { return fs_->remove(path_); }

 private:
  struct Chunk {
    uint64_t offset;
    uint64_t size;
  };
  DigestSpool(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status append(std::string_view pages);

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> file_;
  std::mutex mutex_;  // guards what follows while pages are added
  uint64_t bytes_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace kith::bags
