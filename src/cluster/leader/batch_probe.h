// Many rows ask the leader tables at once, by lists of the parts of the buckets that they are in:
// internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "cluster/leader/index.h"
#include "cluster/leader/rows.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "sketch/signature.h"

namespace kith::cluster {

// For every table, the rows that share their bucket in it with another id, by
// LshBuckets::short_part(), so that two parts are taken for one now and then, and the number of the
// row.
// Thread-safe for reading.
class PartLists {
 public:
  explicit PartLists(const LshBuckets& buckets) : buckets_(buckets) {}

  // Makes the lists of the rows at `positions`, numbered from 0. Calls visit(i, row) for each as
  // well, from several threads.
  void fill(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool,
            const std::function<void(size_t i, const Row& row)>& visit);
  // Gives every row the number numbers[i], and drops those for which that is no_number. The new
  // numbers ascend with the old.
  void renumber(std::span<const uint32_t> numbers, ThreadPool& pool);
  static constexpr uint32_t no_number = UINT32_MAX;

  uint32_t tables() const { return buckets_.tables.params().tables; }
  // Ascending by part, then by number.
  std::span<const ShortKeyId> operator[](uint32_t table) const { return lists_[table]; }

  // Bytes that a row takes, at most.
  static uint64_t bytes_per_row(uint32_t tables) {
    return tables * (sizeof(uint32_t) + sizeof(ShortKeyId));
  }

 private:
  // Rows whose parts lie together, table by table: they are found row by row, and are wanted table
  // by table.
  static constexpr size_t block = 256;
  static constexpr uint32_t no_part = UINT32_MAX;  // LshBuckets::short_parts() is not more

  std::span<uint32_t> parts_of_block(size_t number) {
    return parts_.span().subspan(number * tables() * block, tables() * block);
  }
  void make_list(uint32_t table, size_t rows, std::vector<ShortKeyId>& scratch);

  const LshBuckets& buckets_;
  LargeVector<uint32_t> parts_;                 // by block, by table, by row
  std::vector<std::vector<ShortKeyId>> lists_;  // by table
};

// Finds the candidates of a batch of rows, table by table. The rows of a batch that are in one part
// of a bucket meet the same leaders, whose planes are then fetched once and compared in cache, ten
// times faster than one by one at random places.
class BatchProbe {
 public:
  BatchProbe(const LshBuckets& buckets, uint32_t plane_bar);

  // The rows at `positions` are those that ask from now on, numbered from 0. They are views as long
  // as `rows` keeps them readable.
  void take(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool);
  size_t size() const { return asking_.size(); }
  const Row& row(size_t i) const { return asking_[i]; }
  std::span<const uint8_t> plane(size_t i) const {
    return planes_.span().subspan(i * lanes_, lanes_);
  }

  // The leaders that share a part in some table with the rows [begin, end), or so it seems
  // (PartLists), and reach the bar: afterwards candidates(i) has those of row i.
  void ask_leaders(size_t begin, size_t end, const LeaderTables& tables, const LeaderRows& leaders,
                   ThreadPool& pool);

  // Forgets in which parts the other rows are. `numbers` ascend.
  void keep(std::span<const uint32_t> numbers, ThreadPool& pool);
  // Pairs of rows in one part, once for each table.
  uint64_t pairs_in_parts() const;
  // The same among the rows themselves: afterwards candidates(i) of a row i in [begin, end) has the
  // rows that are in one part with it in some table and reach the bar: of those below `begin` the
  // ones that is_leader is set for, and all from there to i.
  void ask_among(size_t begin, size_t end, std::span<const uint8_t> is_leader, ThreadPool& pool);

  // Entries with a leader, or the number of a row, as id, ascending, each once. Valid until the
  // next question.
  std::span<const ShortKeyId> candidates(size_t i) const {
    return found_.span().subspan(places_[i].begin, places_[i].end - places_[i].begin);
  }

  // Enters the rows `numbers`, ascending, into tables, as leaders from `first` on. No row is in a
  // part any more afterwards.
  void enter(std::span<const uint32_t> numbers, uint32_t first, LeaderTables& tables,
             ThreadPool& pool);

  // Pairs that the last question found, one that met in several tables several times.
  size_t found() const { return found_.size(); }
  // Pairs compared on the plane, over all questions.
  uint64_t compared() const;

 private:
  // The rows that ask in a part of a bucket, and whom, among those that wait: the leaders up to
  // `end`. Row i asks only those before own + i, which is where it stands itself, if anywhere.
  struct Meeting {
    std::span<const ShortKeyId> asking;
    size_t own;
    size_t end;
  };
  struct Place {
    size_t begin = 0;
    size_t end = 0;
  };
  struct alignas(worker_alignment) Worker {
    std::vector<uint32_t> leaders;  // of the parts that wait to be compared
    std::vector<Meeting> meetings;  // these parts
    LargeVector<uint8_t> planes;    // of the leaders
    std::vector<uint32_t> selected;
    std::vector<ShortKeyId> found;  // row number, leader
    uint64_t compared = 0;
  };

  // meet(table, rest, worker) has the first part of `rest` meet() those whose planes are compared.
  template <class Meet>
  void probe_tables(const sketch::SignaturePlane& plane, ThreadPool& pool, const Meet& meet);
  // Enters a meeting with the leaders that were found last.
  void meet(std::span<const ShortKeyId> asking, size_t own, Worker& worker) const;
  void compare_waiting(const sketch::SignaturePlane& plane, Worker& worker) const;
  void compare(uint32_t asking, size_t begin, size_t end, Worker& worker) const;
  void sort_found(ThreadPool& pool);
  void gather_found(ThreadPool& pool);
  // Of the rows `numbers` only is known afterwards in which parts they are; number_of(i) is then
  // the number of numbers[i].
  template <class NumberOf>
  void renumber(std::span<const uint32_t> numbers, const NumberOf& number_of, ThreadPool& pool);

  const uint32_t plane_bar_;
  const uint32_t lanes_;
  const sketch::RowKernels& kernels_;
  std::vector<uint32_t> by_work_;  // tables
  PartLists lists_;
  LargeVector<Row> asking_;
  LargeVector<uint8_t> planes_;
  std::vector<uint32_t> numbers_;  // by row, for PartLists::renumber()
  std::vector<Worker> workers_;
  LargeVector<ShortKeyId> found_;
  LargeVector<ShortKeyId> scratch_;
  std::vector<Place> places_;  // in found_, by row
};

}  // namespace kith::cluster
