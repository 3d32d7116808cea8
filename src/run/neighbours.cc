#include "run/neighbours.h"

#include <algorithm>

#include "sketch/bag.h"
#include "storage/string_table.h"

namespace kith::run {

namespace {

bool sound(std::span<const Neighbour> list, uint64_t urls) {
  return std::ranges::all_of(list, [&](const Neighbour& entry) {
    return entry.id < urls && entry.sum_of_minima <= sketch::bag_total;
  });
}

// Reads all entries once, and gives them back to the kernel behind it.
bool all_sound(std::span<const Neighbour> entries, uint64_t urls, const Mapping& mapping) {
  constexpr size_t stretch = 1 << 20;
  for (size_t first = 0; first < entries.size(); first += stretch) {
    const auto part = entries.subspan(first, std::min(stretch, entries.size() - first));
    if (!sound(part, urls)) return false;
    mapping.release(std::as_bytes(part));
  }
  return true;
}

}  // namespace

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
  KITH_TRY(file_.write_array("near_at", offsets_));
  KITH_TRY(file_.write_array("degree", degrees_));
  return file_.finish();
}

Result<Neighbours> Neighbours::open(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto neighbours, open_for_lookup(fs, path));
  KITH_TRY(neighbours.check_values());
  return neighbours;
}

Result<Neighbours> Neighbours::open_for_lookup(storage::FileSystem& fs, const std::string& path) {
  Neighbours neighbours;
  KITH_ASSIGN(neighbours.file_, storage::SectionFile::open(fs, path, neighbours_kind));
  KITH_ASSIGN(neighbours.offsets_, neighbours.file_.array<uint64_t>("near_at"));
  KITH_ASSIGN(neighbours.entries_, neighbours.file_.array<Neighbour>("near"));
  KITH_ASSIGN(neighbours.degrees_, neighbours.file_.array<uint32_t>("degree"));
  if (!storage::have_ends(neighbours.offsets_, neighbours.entries_.size()) ||
      neighbours.degrees_.size() != neighbours.size()) {
    return neighbours.file_.do_not_fit();
  }
  return neighbours;
}

Status Neighbours::check_values() const {
  return storage::valid_offsets(offsets_, entries_.size()) &&
                 all_sound(entries_, size(), file_.mapping())
             ? Status::ok()
             : Status(file_.do_not_fit());
}

Status Neighbours::verify() const {
  KITH_TRY(file_.verify());
  return check_values();
}

Status Neighbours::check(uint64_t id) const {
  KITH_TRY(file_.check(offsets_.subspan(id, 2)));
  if (offsets_[id] > offsets_[id + 1] || offsets_[id + 1] > entries_.size()) {
    return file_.do_not_fit();
  }
  KITH_TRY(file_.check((*this)[id]));
  if (!sound((*this)[id], size())) return file_.do_not_fit();
  return file_.check(degrees_.subspan(id, 1));
}

}  // namespace kith::run
