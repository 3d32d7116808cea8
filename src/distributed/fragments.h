// What pages say about URLs on its way between machines: fragments by slice of URLs, with the stems
// that their terms are numbers of (docs/algorithms/bags.md, "Anchor-windows").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/fragment.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "bags/vocabulary/vocabulary.h"
#include "crawl/read/page.h"
#include "distributed/page_words.h"
#include "run/pages.h"
#include "storage/memory_file_system.h"
#include "text/url/url.h"

namespace kith::distributed {

// What some pages of a file say about URLs.
struct FileFragments {
  uint64_t pages = 0;               // how many, redirects included
  std::vector<std::string> slices;  // by slice of URLs, for UrlWords::make()
  // By slice of URLs, for aliases_of_slice(): where aliases are folded.
  std::vector<std::string> aliases;
  PageWords words;  // of no pages: the stems and forms of these
};

// Bytes that a writer of fragments gathers before they go to their file.
inline constexpr size_t fragment_block = 1 << 20;

// To be used once: add some pages, then take(). Not thread-safe.
class FragmentReader {
 public:
  // filter: may be null; it must outlive this object.
  FragmentReader(const ClusterOptions& options, PageFilter* filter);

  // page: its URL is canonical, its body cut already.
  Status add(const crawl::Page& page);

  // By slice the fragments, for read_slice(), and aliases; and the forms of all words.
  Result<FileFragments> take(uint32_t slices);
  // Of all pages that were added.
  const bags::FragmentCounts& counts() const { return fragments_.counts(); }

 private:
  Status add_redirect(const crawl::Page& page);

  PageFilter* filter_;
  const bool keeps_aliases_;
  const unsigned parts_;  // of bags
  bags::Vocabulary vocabulary_;
  bags::TermReader terms_;
  bags::PageDigester digester_;
  storage::MemoryFileSystem files_;
  bags::FragmentSpool spool_;
  bags::FragmentWriter writer_;
  bags::PageFragments fragments_;
  run::PageText page_text_;
  text::Url url_;
};

// Fragments of these stems by slice of their URLs, for read_slice().
Result<std::vector<std::string>> deal_out(std::string_view fragments,
                                          std::span<const std::string_view> stems, uint32_t slices);

// Appends the fragments in `bytes`, of one slice of one FragmentReader, to `fragments`, with the
// numbers that `stems` gives to their stems. False if the bytes are none.
bool read_slice(std::string_view bytes, bags::Vocabulary& stems, std::string& fragments);
// All of a slice. An error of kind corrupt if some are none.
Result<std::string> read_slices(std::span<const std::string_view> all, bags::Vocabulary& stems);

}  // namespace kith::distributed
