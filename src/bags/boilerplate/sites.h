// The sites that a page belongs to: those whose pages share a template.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "base/hash.h"

namespace kith::bags {

// Hashes of a page's host and of its sections, the folders of its path that are nearest to the
// host: where a host carries many sites, such as /~user/ or /docs/project/, each has a template of
// its own.
class Sites {
 public:
  static constexpr size_t max_sections = 3;

  Sites() = default;
  // Hashes as all() gives them. REQUIRES: 1 to 1 + max_sections of them.
  explicit Sites(std::span<const uint64_t> hashes) : count_(hashes.size()) {
    std::ranges::copy(hashes, hashes_.begin());
  }

  uint64_t host() const { return hashes_[0]; }
  // The host and its sections, the deepest one last; of a page without a host none.
  std::span<const uint64_t> all() const { return std::span(hashes_).first(count_); }

 private:
  friend Sites sites_of(std::string_view url);
  std::array<uint64_t, 1 + max_sections> hashes_ = {};
  size_t count_ = 1;
};

// The sites of a canonical http(s) URL; a name of a row has none.
Sites sites_of(std::string_view url);

// The templates of sites where each machine has the pages of some files (docs/algorithms/spark.md):
//
//   file -> the pages of each host that may be in the sample of a site -> some hosts at a time, of
//   all files: their templates -> to the files that have pages of these hosts
//
// The templates are those of find_templates() for the best capture of every URL.

// A page by which templates are found.
struct SampledPage {
  Key128 url;         // hash128 of it
  uint32_t hash = 0;  // sample_hash() of it
  uint32_t rank = 0;  // among the captures of the URL (base/page_keys.h)
  uint32_t file = 0;
  Sites sites;
  std::vector<uint64_t> blocks;  // the hashes of its blocks, ascending, each once
};

// The pages of one file. Memory: 8 bytes a block, of the pages that may be in a sample and as many
// again. Not thread-safe.
class SiteSamples {
 public:
  // A URL comes again with a greater rank only.
  void add(std::string_view url, uint32_t rank, std::span<const Block> blocks);

  // By slice the pages of the hosts in it, for site_templates(); they are forgotten here. Bytes of
  // several files may stand one behind the other. REQUIRES: slices >= 1.
  std::vector<std::string> take(uint32_t file, uint32_t slices);

 private:
  static constexpr size_t first_prune = 4096;
  void prune();

  std::vector<SampledPage> pages_;
  size_t next_prune_ = first_prune;
};

// What Templates::add() reads: the templates of the hosts of a slice that a file has pages of.
struct FileTemplates {
  uint32_t file = 0;
  std::string bytes;
};

struct SliceTemplates {
  std::vector<FileTemplates> files;  // ascending, each file with a page of these hosts
  uint64_t blocks = 0;               // of the templates of all sites
};

// samples: all that take() has given for one slice, in any order. Of the pages of a URL that of the
// greatest rank counts, of equal ones that of the first file. Memory: what the pages take. An error
// of kind corrupt: bytes that are not those of take().
Result<SliceTemplates> site_templates(std::span<const std::string_view> samples);

}  // namespace kith::bags
