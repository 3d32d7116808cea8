// The files in which answers are found: neighbours.kith, clusters.kith, sketch.kith.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "similar/neighbour.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::run {

// The related-pages index: the nearest URLs of every URL (docs/algorithms/pairs.md). The byte
// format is docs/formats/index_stage.md.
inline constexpr storage::FileKind neighbours_kind{"near", 1};

using similar::Neighbour;

// Writes the lists of all ids in order. Not thread-safe.
class NeighboursWriter {
 public:
  static Result<NeighboursWriter> create(storage::FileSystem& fs, const std::string& path);
  // The list of the next id, most similar first, ties by id; and its degree, the number of
  // URLs found at or above the threshold.
  Status add(std::span<const Neighbour> list, uint32_t degree);
  Status finish();

 private:
  explicit NeighboursWriter(storage::SectionWriter file) : file_(std::move(file)) {}
  storage::SectionWriter file_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint32_t> degrees_;
};

// Immutable, thread-safe; views live as long as this object.
class Neighbours {
 public:
  static Result<Neighbours> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the lists, which are not read: before one of them is asked
  // for, call check(id); before all of them are, verify().
  static Result<Neighbours> open_for_lookup(storage::FileSystem& fs, const std::string& path);
  uint64_t size() const { return offsets_.size() - 1; }
  std::span<const Neighbour> operator[](uint64_t id) const {
    return entries_.subspan(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  uint32_t degree(uint64_t id) const { return degrees_[id]; }
  std::span<const uint32_t> degrees() const { return degrees_; }
  // All lists in one array, and where each begins: size() + 1 offsets.
  std::span<const Neighbour> entries() const { return entries_; }
  std::span<const uint64_t> offsets() const { return offsets_; }
  // Compares the list and the degree of an id with the checksums of the file, and its entries with
  // what an entry can be. REQUIRES: id < size().
  Status check(uint64_t id) const;
  // The same of all.
  Status verify() const;
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  Status check_values() const;
  storage::SectionFile file_;
  std::span<const uint64_t> offsets_;
  std::span<const Neighbour> entries_;
  std::span<const uint32_t> degrees_;
};

// The clusters of a run as they are looked up and listed. The byte format is
// docs/formats/index_stage.md.
inline constexpr storage::FileKind clusters_kind{"clus", 1};

// What is written, and what is read back. Clusters are numbered from 0 by size (largest
// first), then by center id. In a cluster the center comes first, then the members by
// similarity to it (most first), then by id.
struct ClusterArrays {
  std::span<const uint32_t> center;         // by URL id; its own id for a center
  std::span<const uint32_t> sum_of_minima;  // by URL id; with its center, exact
  std::span<const uint32_t> members;        // URL ids, cluster by cluster
  std::span<const uint64_t> members_at;     // clusters + 1 offsets into members
  std::span<const uint32_t> labels;         // term ids, best first, cluster by cluster
  std::span<const uint64_t> labels_at;      // clusters + 1 offsets into labels
  std::span<const uint32_t> hosts;          // the first URL id of every host, ascending from 0 on
};

Status write_clusters(storage::FileSystem& fs, const std::string& path,
                      const ClusterArrays& arrays);

// Immutable, thread-safe; views live as long as this object.
class Clusters {
 public:
  static Result<Clusters> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the URLs, whose values are not read: before those of a
  // cluster or URL are used, call a check of it; before all are, verify().
  static Result<Clusters> open_for_lookup(storage::FileSystem& fs, const std::string& path);

  uint64_t size() const { return arrays_.members_at.size() - 1; }
  uint64_t urls() const { return arrays_.center.size(); }
  // All that the file holds.
  const ClusterArrays& arrays() const { return arrays_; }
  std::span<const uint32_t> members(uint64_t cluster) const {
    return slice(arrays_.members, arrays_.members_at, cluster);
  }
  std::span<const uint32_t> label(uint64_t cluster) const {
    return slice(arrays_.labels, arrays_.labels_at, cluster);
  }
  // The hosts are numbered in the order of URL ids.
  uint64_t hosts() const { return arrays_.hosts.size(); }
  uint32_t host_of(uint32_t url) const;
  uint32_t first_url(uint32_t host) const { return arrays_.hosts[host]; }
  // The cluster of a center: of those of its size, which stand in the order of their centers.
  uint64_t cluster_of_center(uint32_t center) const;
  uint32_t center_of(uint32_t url) const { return arrays_.center[url]; }
  uint32_t sum_of_minima(uint32_t url) const { return arrays_.sum_of_minima[url]; }
  // Compares what belongs to a cluster with the checksums of the file, and with what it can be: its
  // members, their sums and hosts, and its label. REQUIRES: cluster < size().
  Status check(uint64_t cluster) const;
  Status check_label(uint64_t cluster) const;
  Status check_size(uint64_t cluster) const;
  // The same of a URL: its center. REQUIRES: url < urls().
  Status check_url(uint32_t url) const;
  // Of a host: its first URL, and that of the next. REQUIRES: host < hosts().
  Status check_first_url(uint32_t host) const;
  // The same of all.
  Status verify() const;
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  Status check_values() const;
  Status check_host(uint32_t url) const;
  static std::span<const uint32_t> slice(std::span<const uint32_t> values,
                                         std::span<const uint64_t> offsets, uint64_t i) {
    const auto [begin, end] = storage::part_of(offsets, i, values.size());
    return values.subspan(begin, end - begin);
  }
  storage::SectionFile file_;
  ClusterArrays arrays_;
};

// The MinHash signatures of the documents of a collection in a file, so that later documents can be
// compared with them without reading the earlier ones again. The byte format is
// docs/formats/sketches.md.
inline constexpr storage::FileKind sketches_kind{"sket", 1};

// How the sketches were made. Sketches are comparable when all of it is equal.
struct SketchParams {
  sketch::MinHashFamily family = sketch::MinHashFamily::lanes;
  uint32_t lanes = 128;  // values of a sketch: a multiple of 16 up to 1024
  uint64_t seed = 0;
  uint64_t elements = 0;  // tells how elements were made, e.g. a hash of the shingle options
  friend bool operator==(const SketchParams&, const SketchParams&) = default;
};

// Writes the sketches of documents 0, 1, 2 ... in order. Not thread-safe.
class SketchWriter {
 public:
  // REQUIRES: params in range.
  static Result<SketchWriter> create(storage::FileSystem& fs, const std::string& path,
                                     const SketchParams& params);

  // elements: how many the document has. REQUIRES: as many values as the parameters say.
  Status add(std::span<const uint16_t> signature, uint32_t elements);

  Status finish();

 private:
  SketchWriter(storage::SectionWriter file, const SketchParams& params)
      : file_(std::move(file)), params_(params) {}

  storage::SectionWriter file_;
  SketchParams params_;
  std::vector<uint32_t> sizes_;
};

// Immutable, thread-safe; views live as long as this object. Opening checks that the sections fit
// together and sizes are what the parameters allow, so that no view leads outside.
class SketchFile {
 public:
  static Result<SketchFile> open(storage::FileSystem& fs, const std::string& path);

  const SketchParams& params() const { return params_; }
  uint64_t size() const { return count_; }
  sketch::Signatures signatures() const;

 private:
  Status load_params();
  Status load_values();

  storage::SectionFile file_;
  SketchParams params_;
  uint64_t count_ = 0;
  std::span<const uint16_t> values_;
};

}  // namespace kith::run
