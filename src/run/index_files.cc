#include "run/index_files.h"

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "base/check.h"
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

namespace {

bool all_below(std::span<const uint32_t> values, uint64_t bound) {
  // Without an early end, so that the compiler can take many values at a time.
  uint64_t outside = 0;
  for (const uint32_t value : values) outside += value >= bound;
  return outside == 0;
}

// What can be seen of the hosts without reading them.
bool have_host_ends(std::span<const uint32_t> hosts, uint64_t urls) {
  if (urls == 0 || hosts.empty()) return urls == 0 && hosts.empty();
  return hosts.front() == 0 && hosts.back() < urls;
}

bool fit_together(const ClusterArrays& arrays) {
  const uint64_t urls = arrays.center.size();
  return storage::have_ends(arrays.members_at, arrays.members.size()) &&
         storage::have_ends(arrays.labels_at, arrays.labels.size()) &&
         arrays.labels_at.size() == arrays.members_at.size() &&
         arrays.sum_of_minima.size() == urls && arrays.members.size() == urls &&
         have_host_ends(arrays.hosts, urls);
}

// REQUIRES: fit_together(arrays).
bool are_sound(const ClusterArrays& arrays) {
  const uint64_t urls = arrays.center.size();
  return std::ranges::is_sorted(arrays.members_at) && std::ranges::is_sorted(arrays.labels_at) &&
         std::ranges::adjacent_find(arrays.hosts, std::greater_equal()) == arrays.hosts.end() &&
         all_below(arrays.center, urls) && all_below(arrays.members, urls) &&
         all_below(arrays.sum_of_minima, uint64_t{sketch::bag_total} + 1) &&
         std::ranges::adjacent_find(arrays.members_at) == arrays.members_at.end();
}

}  // namespace

Status write_clusters(storage::FileSystem& fs, const std::string& path,
                      const ClusterArrays& arrays) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, clusters_kind));
  KITH_TRY(file.write_array("center", arrays.center));
  KITH_TRY(file.write_array("sum", arrays.sum_of_minima));
  KITH_TRY(file.write_array("members", arrays.members));
  KITH_TRY(file.write_array("members_at", arrays.members_at));
  KITH_TRY(file.write_array("labels", arrays.labels));
  KITH_TRY(file.write_array("labels_at", arrays.labels_at));
  KITH_TRY(file.write_array("hosts", arrays.hosts));
  return file.finish();
}

Result<Clusters> Clusters::open(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto clusters, open_for_lookup(fs, path));
  KITH_TRY(clusters.check_values());
  return clusters;
}

Result<Clusters> Clusters::open_for_lookup(storage::FileSystem& fs, const std::string& path) {
  Clusters clusters;
  KITH_ASSIGN(clusters.file_, storage::SectionFile::open(fs, path, clusters_kind));
  ClusterArrays& arrays = clusters.arrays_;
  KITH_ASSIGN(arrays.center, clusters.file_.array<uint32_t>("center"));
  KITH_ASSIGN(arrays.sum_of_minima, clusters.file_.array<uint32_t>("sum"));
  KITH_ASSIGN(arrays.members, clusters.file_.array<uint32_t>("members"));
  KITH_ASSIGN(arrays.members_at, clusters.file_.array<uint64_t>("members_at"));
  KITH_ASSIGN(arrays.labels, clusters.file_.array<uint32_t>("labels"));
  KITH_ASSIGN(arrays.labels_at, clusters.file_.array<uint64_t>("labels_at"));
  KITH_ASSIGN(arrays.hosts, clusters.file_.array<uint32_t>("hosts"));
  if (!fit_together(arrays)) return clusters.file_.do_not_fit();
  return clusters;
}

Status Clusters::check_values() const {
  return are_sound(arrays_) ? Status::ok() : Status(file_.do_not_fit());
}

Status Clusters::verify() const {
  KITH_TRY(file_.verify());
  return check_values();
}

uint32_t Clusters::host_of(uint32_t url) const {
  const auto next = std::ranges::upper_bound(arrays_.hosts, url);
  return static_cast<uint32_t>(next - arrays_.hosts.begin()) - 1;
}

// A search that damage led astray ends between values that do not match their checksums.
Status Clusters::check_host(uint32_t url) const {
  const uint32_t host = host_of(url);
  return file_.check(arrays_.hosts.subspan(host, std::min<uint64_t>(2, hosts() - host)));
}

// There are few sizes: the sum of their different values is at most the number of URLs.
uint64_t Clusters::cluster_of_center(uint32_t center) const {
  const std::span<const uint64_t> at = arrays_.members_at;
  const auto size_of = [&](uint64_t cluster) { return at[cluster + 1] - at[cluster]; };
  const auto center_at = [&](uint64_t cluster) {
    const std::span<const uint32_t> some = members(cluster);
    return some.empty() ? 0 : some.front();  // only damage empties a cluster
  };
  const auto first_not = [](uint64_t begin, uint64_t end, auto&& holds) {
    while (begin < end) {
      const uint64_t middle = begin + (end - begin) / 2;
      holds(middle) ? begin = middle + 1 : end = middle;
    }
    return begin;
  };
  for (uint64_t begin = 0; begin < size();) {
    const uint64_t members = size_of(begin);
    const uint64_t end =
        first_not(begin, size(), [&](uint64_t cluster) { return size_of(cluster) >= members; });
    const uint64_t found =
        first_not(begin, end, [&](uint64_t cluster) { return center_at(cluster) < center; });
    if (found < end && center_at(found) == center) return found;
    begin = std::max(end, begin + 1);  // damaged sizes need not fall
  }
  return size();
}

Status Clusters::check_url(uint32_t url) const {
  KITH_TRY(file_.check(arrays_.center.subspan(url, 1)));
  return center_of(url) < urls() ? Status::ok() : Status(file_.do_not_fit());
}

Status Clusters::check_first_url(uint32_t host) const {
  return file_.check(arrays_.hosts.subspan(host, std::min<size_t>(2, hosts() - host)));
}

Status Clusters::check_size(uint64_t cluster) const {
  KITH_TRY(file_.check(arrays_.members_at.subspan(cluster, 2)));
  return members(cluster).empty() ? Status(file_.do_not_fit()) : Status::ok();
}

Status Clusters::check_label(uint64_t cluster) const {
  KITH_TRY(file_.check(arrays_.labels_at.subspan(cluster, 2)));
  return file_.check(label(cluster));
}

Status Clusters::check(uint64_t cluster) const {
  KITH_TRY(check_size(cluster));
  KITH_TRY(check_label(cluster));
  KITH_TRY(file_.check(members(cluster)));
  for (const uint32_t id : members(cluster)) {
    if (id >= urls()) return file_.do_not_fit();
    KITH_TRY(file_.check(arrays_.sum_of_minima.subspan(id, 1)));
    if (sum_of_minima(id) > sketch::bag_total) return file_.do_not_fit();
    KITH_TRY(check_host(id));
  }
  return Status::ok();
}

namespace {

constexpr uint32_t max_lanes = 1024;

// Bytes of the format: a MinHash signature, and the bits of its values.
constexpr uint8_t minhash_kind = 1;
constexpr uint8_t value_bits = 16;

bool in_range(const SketchParams& params) {
  const bool is_family =
      params.family == sketch::MinHashFamily::lanes || params.family == sketch::MinHashFamily::bins;
  return is_family && params.lanes >= 16 && params.lanes <= max_lanes && params.lanes % 16 == 0;
}

// As docs/formats/sketches.md says.
std::string encode(const SketchParams& params, uint64_t count) {
  std::string bytes;
  append_fixed(bytes, minhash_kind);
  append_fixed(bytes, static_cast<uint8_t>(params.family));
  append_fixed(bytes, value_bits);
  append_fixed(bytes, uint8_t{0});
  append_fixed(bytes, params.lanes);
  append_fixed(bytes, uint64_t{0});
  append_fixed(bytes, params.seed);
  append_fixed(bytes, params.elements);
  append_fixed(bytes, count);
  return bytes;
}

}  // namespace

Result<SketchWriter> SketchWriter::create(storage::FileSystem& fs, const std::string& path,
                                          const SketchParams& params) {
  KITH_CHECK(in_range(params));
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, sketches_kind));
  KITH_TRY(file.begin("values"));
  return SketchWriter(std::move(file), params);
}

Status SketchWriter::add(std::span<const uint16_t> signature, uint32_t elements) {
  KITH_CHECK(signature.size() == params_.lanes);
  sizes_.push_back(elements);
  return file_.append_array(signature);
}

Status SketchWriter::finish() {
  KITH_TRY(file_.begin("sizes"));
  KITH_TRY(file_.append_array(std::span<const uint32_t>(sizes_)));
  KITH_TRY(file_.begin("params"));
  KITH_TRY(file_.append(encode(params_, sizes_.size())));
  return file_.finish();
}

Result<SketchFile> SketchFile::open(storage::FileSystem& fs, const std::string& path) {
  SketchFile sketches;
  KITH_ASSIGN(sketches.file_, storage::SectionFile::open(fs, path, sketches_kind));
  KITH_TRY(sketches.load_params());
  KITH_TRY(sketches.load_values());
  return sketches;
}

Status SketchFile::load_params() {
  KITH_ASSIGN(const Bytes bytes, file_.section("params"));
  Cursor cursor(bytes);
  const auto kind = cursor.fixed<uint8_t>();
  params_.family = static_cast<sketch::MinHashFamily>(cursor.fixed<uint8_t>());
  const auto bits = cursor.fixed<uint8_t>();
  const auto zero = cursor.fixed<uint8_t>();
  params_.lanes = cursor.fixed<uint32_t>();
  const auto more_zeros = cursor.fixed<uint64_t>();
  params_.seed = cursor.fixed<uint64_t>();
  params_.elements = cursor.fixed<uint64_t>();
  count_ = cursor.fixed<uint64_t>();
  const bool is_minhash = kind == minhash_kind && bits == value_bits;
  if (cursor.failed() || !cursor.at_end() || !is_minhash || zero != 0 || more_zeros != 0 ||
      !in_range(params_)) {
    return file_.corrupt("its parameters are of no kind of sketch");
  }
  return Status::ok();
}

Status SketchFile::load_values() {
  KITH_ASSIGN(values_, file_.array<uint16_t>("values"));
  KITH_ASSIGN(const auto sizes, file_.array<uint32_t>("sizes"));
  const bool fits = sizes.size() == count_ && values_.size() / params_.lanes == count_ &&
                    values_.size() % params_.lanes == 0;
  return fits ? Status::ok() : Status(file_.do_not_fit());
}

sketch::Signatures SketchFile::signatures() const {
  return {values_, params_.lanes, &file_.mapping()};
}

}  // namespace kith::run
