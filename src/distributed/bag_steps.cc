// kith::BagDictionary: the terms of all bags, and bags of the words of pages.
#include "kith/bag_steps.h"

#include <algorithm>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/batch.h"
#include "bags/fragment.h"
#include "bags/merge.h"
#include "bags/vocabulary/dictionary.h"
#include "bags/weights.h"
#include "distributed/page_words.h"
#include "run/options.h"
#include "sketch/bag.h"
#include "text/url/url.h"

namespace kith {

struct BagDictionary::State {
  StringList stems;  // as they were given: their numbers are the provisional ids of `dictionary`
  boost::unordered_flat_map<std::string_view, uint32_t, bags::StringHash> ids;
  bags::Dictionary dictionary;
  bags::WeightOptions weights;

  // The number that a stem was given with; no_term for another one.
  uint32_t id_of(std::string_view stem) const {
    const auto found = ids.find(stem);
    return found == ids.end() ? bags::no_term : found->second;
  }
};

namespace {

// filled: by part.
Status check_filled(std::span<const uint64_t> filled, unsigned parts) {
  if (filled.size() != parts) {
    return api::usage(fmt::format("{} numbers of pages for bags of {} parts: give one for each",
                                  filled.size(), parts));
  }
  for (const uint64_t pages : filled) {
    if (pages <= UINT32_MAX) continue;
    return api::usage(
        fmt::format("{} pages: bags are made of at most {}; divide them", pages, UINT32_MAX));
  }
  return Status::ok();
}

Status check_frequencies(std::span<const uint64_t> filled, size_t stems,
                         std::span<const uint64_t> documents) {
  const size_t parts = filled.size();
  if (documents.size() != stems * parts) {
    return api::usage(fmt::format("{} document frequencies of {} stems", documents.size(), stems));
  }
  if (stems > bags::Slots(static_cast<unsigned>(parts)).max_terms()) {
    return api::usage(fmt::format("{} stems are too many", stems));
  }
  for (size_t i = 0; i < stems; ++i) {
    bool is_met = false;
    for (size_t part = 0; part < parts; ++part) {
      const uint64_t number = documents[i * parts + part];
      is_met |= number > 0;
      if (number <= filled[part]) continue;
      return api::usage(fmt::format("stem {}: is in {} of {} pages", i, number, filled[part]));
    }
    if (!is_met) return api::usage(fmt::format("stem {}: is in no page", i));
  }
  return Status::ok();
}

// That the arrays are the words of pages, of so many numbers of stems.
Status check_words(size_t stems, std::span<const uint64_t> offsets, std::span<const uint32_t> terms,
                   std::span<const uint32_t> counts) {
  if (counts.size() != terms.size()) {
    return api::usage(fmt::format("{} counts of {} terms", counts.size(), terms.size()));
  }
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > terms.size()) {
      return api::usage(
          fmt::format("page {}: ends at {}, but it begins at {} and there are {} terms", i,
                      offsets[i + 1], offsets[i], terms.size()));
    }
    for (uint64_t at = offsets[i]; at < offsets[i + 1]; ++at) {
      const bool ascends = at == offsets[i] || terms[at - 1] < terms[at];
      if (ascends && terms[at] < stems && counts[at] > 0) continue;
      return api::usage(fmt::format(
          "page {}: its stems must ascend and be below {}, and their counts above 0", i, stems));
    }
  }
  return Status::ok();
}

}  // namespace

BagDictionary::BagDictionary(std::unique_ptr<const State> state) : state_(std::move(state)) {}
BagDictionary::~BagDictionary() = default;
BagDictionary::BagDictionary(BagDictionary&&) noexcept = default;
BagDictionary& BagDictionary::operator=(BagDictionary&&) noexcept = default;

Result<BagDictionary> BagSteps::dictionary(std::span<const uint64_t> filled,
                                           std::span<const std::string_view> stems,
                                           std::span<const uint64_t> documents) const {
  const BagStepOptions& given = options();
  const bags::Slots slots(given.bags == BagKind::both ? 2 : 1);
  return run::guarded([&]() -> Result<BagDictionary> {
    KITH_TRY(check_filled(filled, slots.parts()));
    KITH_TRY(check_frequencies(filled, stems.size(), documents));
    auto state = std::make_unique<BagDictionary::State>();
    bags::DocumentFrequencies frequencies(stems.size(), slots);
    for (const std::string_view stem : stems) state->stems.add(stem);
    for (uint32_t slot = 0; slot < documents.size(); ++slot) {
      frequencies.add(slot, static_cast<uint32_t>(documents[slot]));
    }
    state->ids.reserve(stems.size());
    for (uint32_t id = 0; id < stems.size(); ++id) {
      if (state->ids.emplace(state->stems[id], id).second) continue;
      return api::usage(fmt::format("stem '{}': is there twice", stems[id]));
    }
    bags::PartCounts pages = {};
    std::ranges::copy(filled, pages.begin());
    state->dictionary = bags::make_dictionary({given.weighting, given.min_df, given.max_df}, stems,
                                              frequencies, pages);
    state->weights.weighting = given.weighting;
    state->weights.content_share = given.content_share;
    state->weights.max_terms = given.max_terms;
    return BagDictionary(std::move(state));
  });
}

uint32_t BagDictionary::terms() const {
  return static_cast<uint32_t>(state_->dictionary.terms());
}

uint32_t BagDictionary::frequent_terms() const {
  return state_->dictionary.frequent;
}

std::string_view BagDictionary::stem(uint32_t term) const {
  return state_->stems[state_->dictionary.provisional_id[term]];
}

std::optional<uint32_t> BagDictionary::find(std::string_view stem) const {
  const uint32_t id = state_->id_of(stem);
  if (id == bags::no_term) return std::nullopt;
  const uint32_t term = state_->dictionary.final_id[id];
  if (term == bags::no_term) return std::nullopt;
  return term;
}

Result<PageBags> BagDictionary::weigh(std::span<const std::string_view> stems,
                                      std::span<const uint64_t> offsets,
                                      std::span<const uint32_t> terms,
                                      std::span<const uint32_t> counts) const {
  return run::guarded([&]() -> Result<PageBags> {
    const bags::Slots slots = state_->dictionary.slots;
    KITH_TRY(check_words(stems.size() * slots.parts(), offsets, terms, counts));
    std::vector<uint32_t> ids;
    ids.reserve(stems.size());
    for (const std::string_view stem : stems) ids.push_back(state_->id_of(stem));
    bags::BagWeigher weigher(state_->dictionary, state_->weights);
    std::vector<bags::TermCount> page;
    PageBags made;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      page.clear();
      for (uint64_t at = offsets[i]; at < offsets[i + 1]; ++at) {
        const uint32_t id = ids[slots.term(terms[at])];
        if (id == bags::no_term) continue;
        page.push_back({slots.slot(id, bags::BagPart(slots.part(terms[at]))), counts[at]});
      }
      for (const sketch::BagEntry& entry : weigher.weigh(page)) {
        made.terms.push_back(entry.term);
        made.weights.push_back(static_cast<double>(entry.weight) / sketch::weight_one);
      }
      made.offsets.push_back(made.terms.size());
    }
    made.rescued = weigher.rescued();
    made.cut_entries = weigher.cut_entries();
    return made;
  });
}

// kith::BagSteps: the words of pages, the keys of their URLs.
struct BagSteps::State {
  BagStepOptions options;
};

BagSteps::BagSteps(std::unique_ptr<const State> state) : state_(std::move(state)) {}
BagSteps::~BagSteps() = default;
BagSteps::BagSteps(BagSteps&&) noexcept = default;
BagSteps& BagSteps::operator=(BagSteps&&) noexcept = default;

Result<BagSteps> BagSteps::make(const BagStepOptions& options) {
  return run::guarded([&]() -> Result<BagSteps> {
    // Of a run its options are checked; of its input and output nothing is used.
    KITH_TRY(validate(run::run_options_of_bags(options, "texts", "memory")));
    return BagSteps(std::make_unique<const State>(State{options}));
  });
}

const BagStepOptions& BagSteps::options() const {
  return state_->options;
}

Result<PageWords> BagSteps::words(std::span<const std::string_view> texts,
                                  std::span<const std::string_view> titles) const {
  if (!titles.empty() && titles.size() != texts.size()) {
    return api::usage(fmt::format("{} titles of {} texts: give one for each text, or none",
                                  titles.size(), texts.size()));
  }
  if (state_->options.bags != BagKind::content) {
    return api::usage("texts have no links: bags of them are of kind content");
  }
  if (state_->options.boilerplate == Boilerplate::remove) {
    return api::usage("texts have no site whose template could be left out: keep boilerplate");
  }
  return run::guarded([&]() -> Result<PageWords> {
    distributed::PageWordReader reader(state_->options);
    for (size_t i = 0; i < texts.size(); ++i) {
      reader.add_text(texts[i], titles.empty() ? std::string_view() : titles[i]);
    }
    return reader.take();
  });
}

StringList BagSteps::url_keys(std::span<const std::string_view> urls) {
  StringList keys;
  text::Url parsed;
  std::string key;
  for (const std::string_view url : urls) {
    key.clear();
    if (text::parse_url(url, nullptr, parsed)) text::surt_of_url(parsed.href, key);
    keys.add(key);
  }
  return keys;
}

}  // namespace kith
