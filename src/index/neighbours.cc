#include "index/neighbours.h"

#include <algorithm>

#include <fmt/format.h>

#include "sketch/bag.h"
#include "storage/string_table.h"

namespace kith::index {

Result<NeighboursWriter> NeighboursWriter::create(storage::FileSystem& fs,
                                                  const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, neighbours_kind));
  KITH_TRY(file.begin("near"));
  return NeighboursWriter(std::move(file));
}

Status NeighboursWriter::add(std::span<const Neighbour> list, uint32_t degree) {
  degrees_.push_back(degree);
  offsets_.push_back(offsets_.back() + list.size());
  return file_.append_array(list);
}

Status NeighboursWriter::finish() {
  KITH_TRY(file_.begin("near_at"));
  KITH_TRY(file_.append_array(std::span<const uint64_t>(offsets_)));
  KITH_TRY(file_.begin("degree"));
  KITH_TRY(file_.append_array(std::span<const uint32_t>(degrees_)));
  return file_.finish();
}

Result<Neighbours> Neighbours::open(storage::FileSystem& fs, const std::string& path) {
  Neighbours neighbours;
  KITH_ASSIGN(neighbours.file_, storage::SectionFile::open(fs, path, neighbours_kind));
  KITH_ASSIGN(neighbours.offsets_, neighbours.file_.array<uint64_t>("near_at"));
  KITH_ASSIGN(neighbours.entries_, neighbours.file_.array<Neighbour>("near"));
  KITH_ASSIGN(neighbours.degrees_, neighbours.file_.array<uint32_t>("degree"));
  const bool sound = storage::valid_offsets(neighbours.offsets_, neighbours.entries_.size()) &&
                     neighbours.degrees_.size() == neighbours.size() &&
                     std::ranges::all_of(neighbours.entries_, [&](const Neighbour& entry) {
                       return entry.id < neighbours.size() && entry.sum_of_minima <= bag_total;
                     });
  if (!sound) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: its sections do not fit together; remove the run directory and "
                             "run the same command again",
                             path)};
  }
  return neighbours;
}

}  // namespace kith::index
