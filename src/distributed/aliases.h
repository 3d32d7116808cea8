// URLs that stand for another one (docs/algorithms/aliases.md), by slices of URLs: what is said of
// them counts for that one.
//
//   // Of every slice of URLs; then all of them together, on one machine.
//   aliases_of_slice(aliases_of_slice) -> fold_urls(sound_of_all_slices, others, slices)
//   // Of every slice: what is said of its aliases, for the slices of their targets.
//   fold_fragments(fragments_of_slice, folded.slices[slice], slices)
//   // Of every slice, where there are words of pages: the aliases that say something else than
//   // their targets. Where a slice has some, they are added to `others`, and all is folded again.
//   other_aliases(fragments_of_slice, said_for_slice)
//   // Of every slice: all that is said.
//   UrlWords::make(options, fragments_and_said, folded.slices[slice])
//
// All errors are of kind corrupt: bytes of something else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "base/hash.h"

namespace kith::distributed {

// The slice of a URL.
inline uint64_t slice_of(const Key128& url, uint32_t slices) {
  return url.high % slices;
}

// By slice the aliases, and which URLs were fetched.
std::vector<std::string> deal_out(std::span<const bags::Alias> aliases,
                                  std::span<const Key128> fetched, uint32_t slices);

// aliases: those of FileFragments for one slice, in any order. The result leaves out redirects of
// URLs that were fetched.
Result<std::string> aliases_of_slice(std::span<const std::string_view> aliases);

// URLs that were folded into another one, by slice of URLs.
struct FoldedUrls {
  std::vector<std::string> slices;
  AliasReport report;  // what was folded
};

// others: of other_aliases(), not to be folded. Memory: some 100 bytes and the URL of each alias.
// REQUIRES: slices >= 1.
Result<FoldedUrls> fold_urls(std::span<const std::string_view> of_slices,
                             std::span<const std::string_view> others, uint32_t slices);

// Of FoldedUrls::slices.
Result<bags::AliasMap> read_folded(std::string_view bytes);

// fragments: those of FileFragments for one slice, in any order; folded: of this slice. By slice of
// targets what is said again, for UrlWords::make(). REQUIRES: slices >= 1.
Result<std::vector<std::string>> fold_fragments(std::span<const std::string_view> fragments,
                                                std::string_view folded, uint32_t slices);

// fragments: as for fold_fragments(); said: what that has made of the aliases of all slices for
// this one, in any order. The aliases that are not to be folded into the URLs of the slice.
Result<std::string> other_aliases(std::span<const std::string_view> fragments,
                                  std::span<const std::string_view> said);

}  // namespace kith::distributed
