#include "jobs/paper/lists.h"

#include <vector>

#include <fmt/format.h>

#include "base/parallel/radix_sort.h"

namespace kith::jobs {

Status write_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n,
                        storage::SortedRecords& directions) {
  KITH_ASSIGN(auto file, run::NeighboursWriter::create(fs, path));
  std::vector<similar::Neighbour> list;
  uint32_t id = 0;
  const auto end_list = [&]() -> Status {
    KITH_TRY(file.add(list, static_cast<uint32_t>(list.size())));
    list.clear();
    ++id;
    return Status::ok();
  };
  for (;;) {
    KITH_ASSIGN(const auto block, directions.next());
    if (block.empty()) break;
    for (const KeyId& entry : block) {
      while (id < entry.key >> 32) KITH_TRY(end_list());
      list.push_back({static_cast<uint32_t>(entry.key), entry.id});
    }
  }
  while (id < n) KITH_TRY(end_list());
  return file.finish();
}

Result<run::Neighbours> open_pair_lists(storage::FileSystem& fs, const std::string& path,
                                        size_t n) {
  KITH_ASSIGN(auto lists, run::Neighbours::open(fs, path));
  if (lists.size() == n) return lists;
  return Error{ErrorKind::corrupt,
               fmt::format("{}: its files come from different runs; remove the run directory and "
                           "run the same command again",
                           path)};
}

void ResidentLists::touch(uint64_t bytes) {
  constexpr uint64_t most = 8 << 20;
  if (read_.fetch_add(bytes, std::memory_order_relaxed) + bytes < most) return;
  read_.store(0, std::memory_order_relaxed);
  lists_.release();
}

}  // namespace kith::jobs
