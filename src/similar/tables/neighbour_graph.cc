#include "similar/tables/neighbour_graph.h"

#include <algorithm>
#include <utility>

#include "base/prefetch.h"

namespace kith::similar {
namespace {

constexpr size_t links_per_chunk = 1 << 13;

std::span<const Neighbour> first_of(std::span<const Neighbour> list, uint32_t most) {
  return list.first(std::min<size_t>(list.size(), most));
}

}  // namespace

Result<NeighbourGraph> NeighbourGraph::freeze(const NearestLists& lists, uint32_t top,
                                              const ListSpill& spill, ThreadPool& pool) {
  NeighbourGraph graph(top);
  const auto links_of = [&](size_t ids) { return LargeArray<uint32_t>(ids * graph.width_); };
  if (spill.fs == nullptr) {
    graph.rows_ = links_of(lists.first_of(lists.blocks()));
    for (size_t block = 0; block < lists.blocks(); ++block) {
      const size_t first = lists.first_of(block) * size_t{graph.width_};
      const size_t last = lists.first_of(block + 1) * size_t{graph.width_};
      graph.fill(lists, block, graph.rows_.span().subspan(first, last - first), pool);
    }
    return graph;
  }
  const std::string path = spill.folder + "/links";
  KITH_ASSIGN(const auto file, spill.fs->create(path));
  for (size_t block = 0; block < lists.blocks(); ++block) {
    LargeArray<uint32_t> rows = links_of(lists.first_of(block + 1) - lists.first_of(block));
    graph.fill(lists, block, rows.span(), pool);
    KITH_TRY(file->append(std::as_bytes(rows.span())));
  }
  KITH_TRY(file->close());
  KITH_ASSIGN(graph.file_, spill.fs->map(path));
  KITH_TRY(spill.fs->remove(path));
  return graph;
}

// Every worker has a share of the ids of the block and reads all lists: no locks.
TopLists NeighbourGraph::reverse_lists(const NearestLists& lists, size_t block,
                                       ThreadPool& pool) const {
  const uint32_t first = lists.first_of(block);
  const uint32_t last = lists.first_of(block + 1);
  const uint32_t most = width_ / 2;
  TopLists reverse(last - first, most, first);
  const size_t share = (last - first) / pool.size() + 1;
  for (size_t from = 0; from < lists.blocks(); ++from) {
    pool.for_chunks(last - first, share, [&](size_t begin, size_t end, unsigned) {
      for (uint32_t id = lists.first_of(from); id < lists.first_of(from + 1); ++id) {
        for (const Neighbour neighbour : first_of(lists[id], most)) {
          const size_t row = neighbour.id - first;
          if (row >= begin && row < end) {
            reverse.offer(neighbour.id, {id, neighbour.sum_of_minima});
          }
        }
      }
    });
    lists.release();
  }
  return reverse;
}

void NeighbourGraph::fill(const NearestLists& lists, size_t block, std::span<uint32_t> rows,
                          ThreadPool& pool) const {
  TopLists reverse = reverse_lists(lists, block, pool);
  const uint32_t first = lists.first_of(block);
  pool.for_chunks(reverse.size(), links_per_chunk, [&](size_t begin, size_t end, unsigned) {
    for (size_t row = begin; row < end; ++row) {
      const uint32_t id = first + static_cast<uint32_t>(row);
      const std::span<uint32_t> links = rows.subspan(row * width_, width_);
      size_t count = 0;
      for (const Neighbour own : first_of(lists[id], width_ / 2)) {
        links[count++] = own.id;
      }
      const std::span<const uint32_t> own = links.first(count);
      reverse.sort(id);
      for (const Neighbour other : reverse[id]) {
        if (std::ranges::find(own, other.id) == own.end()) links[count++] = other.id;
      }
      std::ranges::fill(links.subspan(count), no_id);
    }
  });
  lists.release();
}

void NeighbourGraph::prefetch(uint32_t id) const {
  if (file_ == nullptr) kith::prefetch(rows_.span().subspan(size_t{id} * width_, width_));
}

std::span<const uint32_t> NeighbourGraph::links(uint32_t id, std::vector<uint32_t>& buffer) const {
  std::span<const uint32_t> links;
  if (file_ == nullptr) {
    links = rows_.span().subspan(size_t{id} * width_, width_);
  } else {
    buffer.resize(width_);
    const size_t bytes = width_ * sizeof(uint32_t);
    file_->copy(file_->bytes().subspan(id * bytes, bytes),
                std::as_writable_bytes(std::span(buffer)).data());
    links = buffer;
  }
  return links.first(static_cast<size_t>(std::ranges::find(links, no_id) - links.begin()));
}

}  // namespace kith::similar
