// The digest of a page to its fragments: anchor-windows for the URLs it links to, and its own words
// (docs/algorithms/bags.md; the paper, section 2.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "bags/page_digest.h"

namespace kith::bags {

struct FragmentOptions : DigestOptions {
  uint32_t window = 8;        // words before and after the anchor text
  bool keep_aliases = false;  // and which pages were fetched; they are counted in any case
};

struct FragmentCounts : TextCounts {
  uint64_t aliases[alias_kinds] = {};  // by kind; URLs that name another one in their place

  // What a page adds, but for the windows.
  void add(const PageDigest& page);
  FragmentCounts& operator+=(const FragmentCounts& more);
};

// One worker's maker of fragments; its buffers are reused. Not thread-safe.
class PageFragments {
 public:
  // `out` and alias_memory, which may be null, must outlive this object.
  PageFragments(const FragmentOptions& options, FragmentWriter& out,
                AliasMemory* alias_memory = nullptr)
      : options_(options), out_(&out), alias_memory_(alias_memory) {}

  // Writes the fragments of one page.
  Status add(const PageDigest& page);

  // Frees what a large page has made the buffers grow to.
  void forget_buffers() {
    encoded_title_.free();
    encoded_.free();
  }

  // Notes a URL that was answered by a redirect. It is counted; it is kept if aliases are.
  Status add_redirect(const Key128& url, std::string_view target);

  const FragmentCounts& counts() const { return counts_; }
  // What keep_aliases asks for, in no order: the aliases and the keys of the pages.
  std::vector<Alias>& aliases() { return aliases_; }
  const std::vector<Key128>& fetched() const { return fetched_; }

 private:
  Status add_alias(AliasKind kind, const Key128& url, std::string_view target);
  Status add_links(const PageDigest& page);
  Status add_window(const Key128& target, std::string_view url, size_t begin, size_t end,
                    size_t window);

  FragmentOptions options_;
  FragmentWriter* out_;
  FragmentCounts counts_;
  EncodedTerms encoded_title_;
  std::string link_url_;
  EncodedTerms encoded_;  // the text
  AliasMemory* alias_memory_;
  std::vector<Alias> aliases_;
  std::vector<Key128> fetched_;
};

}  // namespace kith::bags
