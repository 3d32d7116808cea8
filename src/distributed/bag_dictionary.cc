#include "distributed/bag_dictionary.h"

#include <algorithm>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "base/check.h"
#include "sketch/bag.h"

namespace kith::distributed {
namespace {

// Whether the arrays are the words of pages, with numbers of stems below `stems`.
bool are_words(size_t stems, std::span<const uint64_t> offsets, std::span<const uint64_t> entries) {
  if (offsets.empty() || offsets.back() > entries.size() || !std::ranges::is_sorted(offsets)) {
    return false;
  }
  return std::ranges::all_of(entries, [&](uint64_t entry) {
    return static_cast<uint32_t>(entry) < stems && entry >> 32 > 0;
  });
}

}  // namespace

Result<std::unique_ptr<BagDictionary>> BagDictionary::make(const ClusterOptions& options,
                                                           std::span<const uint64_t> filled,
                                                           std::span<const std::string_view> stems,
                                                           std::span<const uint64_t> documents) {
  for (const uint64_t pages : filled) {
    if (pages <= UINT32_MAX) continue;
    return usage_error(
        fmt::format("{} pages: bags are made of at most {}; divide them", pages, UINT32_MAX));
  }
  std::unique_ptr<BagDictionary> made(new BagDictionary);
  const bags::Slots slots(static_cast<unsigned>(filled.size()));
  bags::DocumentFrequencies frequencies(stems.size(), slots);
  for (uint32_t slot = 0; slot < documents.size(); ++slot) {
    frequencies.add(slot, static_cast<uint32_t>(documents[slot]));
  }
  for (const std::string_view stem : stems) made->stems_.add(stem);
  made->ids_.reserve(stems.size());
  for (uint32_t id = 0; id < stems.size(); ++id) made->ids_.emplace(made->stems_[id], id);
  bags::PartCounts pages = {};
  std::ranges::copy(filled, pages.begin());
  made->dictionary_ = bags::make_dictionary({options.weighting, options.min_df, options.max_df},
                                            stems, frequencies, pages);
  made->weights_.weighting = options.weighting;
  made->weights_.content_share = options.content_share;
  made->weights_.max_terms = max_terms_of(options);
  return made;
}

uint32_t BagDictionary::id_of(std::string_view stem) const {
  const auto found = ids_.find(stem);
  return found == ids_.end() ? bags::no_term : found->second;
}

std::optional<uint32_t> BagDictionary::find(std::string_view stem) const {
  const uint32_t id = id_of(stem);
  if (id == bags::no_term || dictionary_.final_id[id] == bags::no_term) return std::nullopt;
  return dictionary_.final_id[id];
}

Result<PageBags> BagDictionary::weigh(std::span<const std::string_view> stems,
                                      std::span<const uint64_t> offsets,
                                      std::span<const uint64_t> entries) const {
  const bags::Slots slots = dictionary_.slots;
  if (!are_words(stems.size() * slots.parts(), offsets, entries)) {
    return Error{ErrorKind::corrupt, "words of pages: the arrays do not fit together"};
  }
  std::vector<uint32_t> ids;
  ids.reserve(stems.size());
  for (const std::string_view stem : stems) ids.push_back(id_of(stem));
  bags::BagWeigher weigher(dictionary_, weights_);
  std::vector<bags::TermCount> page;
  PageBags made;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    page.clear();
    for (const uint64_t entry : entries.subspan(offsets[i], offsets[i + 1] - offsets[i])) {
      const auto slot = static_cast<uint32_t>(entry);
      const uint32_t id = ids[slots.term(slot)];
      if (id == bags::no_term) continue;
      const auto part = bags::BagPart(slots.part(slot));
      page.push_back({slots.slot(id, part), static_cast<uint32_t>(entry >> 32)});
    }
    for (const sketch::BagEntry& entry : weigher.weigh(page)) {
      made.entries.push_back(packed(entry.term, entry.weight));
    }
    made.offsets.push_back(made.entries.size());
  }
  return made;
}

}  // namespace kith::distributed
