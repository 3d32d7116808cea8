#include "bags/run_merger.h"

#include <algorithm>

namespace kith::bags {

Result<std::unique_ptr<RunMerger>> RunMerger::open(storage::FileSystem& fs,
                                                   std::span<const std::string> run_paths,
                                                   uint64_t read_buffers) {
  std::unique_ptr<RunMerger> merger(new RunMerger);
  const size_t block =
      std::clamp<size_t>(read_buffers / std::max<size_t>(1, run_paths.size()), 4 << 10, 1 << 20);
  for (const std::string& path : run_paths) {
    KITH_ASSIGN(RunReader reader, RunReader::open(fs, path, block));
    KITH_ASSIGN(const bool more, reader.next());
    merger->readers_.push_back(std::move(reader));
    merger->open_.push_back(more);
  }
  if (!run_paths.empty()) merger->tree_.emplace(run_paths.size(), Less{merger.get()});
  return merger;
}

Status RunMerger::next() {
  const size_t now = source();
  KITH_ASSIGN(const bool more, readers_[now].next());
  open_[now] = more;
  tree_->replay();
  return Status::ok();
}

}  // namespace kith::bags
