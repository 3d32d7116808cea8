#include "bags/vocabulary/dictionary.h"

#include <algorithm>
#include <tuple>

#include "bags/tables.h"
#include "bags/weights.h"
#include "storage/section_file.h"

namespace kith::bags {

namespace {

TermFactor factor_of(const DictionaryOptions& options, uint64_t df, uint64_t n) {
  if (df < options.min_df) return {};
  const uint64_t most =
      std::max(min_max_df, static_cast<uint64_t>(options.max_df * static_cast<double>(n)));
  return {term_factor(options.weighting, df, n), df > most};
}

}  // namespace

Dictionary number_terms(const DictionaryOptions& options, std::vector<uint32_t> ids,
                        const DocumentFrequencies& frequencies, const PartCounts& n) {
  Dictionary dictionary;
  dictionary.slots = frequencies.slots();
  dictionary.provisional_id = std::move(ids);
  dictionary.final_id.assign(frequencies.terms(), no_term);
  const unsigned parts = dictionary.slots.parts();
  for (const uint32_t id : dictionary.provisional_id) {
    dictionary.final_id[id] = static_cast<uint32_t>(dictionary.terms());
    bool counts = false;
    for (unsigned part = 0; part < parts; ++part) {
      const TermFactor factor = factor_of(options, frequencies.of_part(id, part), n[part]);
      dictionary.factors[part].push_back(factor);
      counts |= !factor.is_rare() && !factor.is_frequent();
    }
    dictionary.frequent += !counts;
  }
  return dictionary;
}

Dictionary make_dictionary(const DictionaryOptions& options,
                           std::span<const std::string_view> stems,
                           const DocumentFrequencies& frequencies, const PartCounts& n) {
  std::vector<uint32_t> ids;
  uint64_t dropped_rare = 0;
  for (uint32_t id = 0; id < stems.size(); ++id) {
    if (frequencies.of_all(id) == 0) continue;  // only ever seen in windows that make no bag
    if (frequencies.reaches(id, options.min_df)) {
      ids.push_back(id);
    } else {
      ++dropped_rare;
    }
  }
  std::ranges::sort(ids, [&](uint32_t a, uint32_t b) {
    return std::tuple(frequencies.of_all(b), stems[a]) <
           std::tuple(frequencies.of_all(a), stems[b]);
  });

  Dictionary dictionary = number_terms(options, std::move(ids), frequencies, n);
  dictionary.dropped_rare = dropped_rare;
  return dictionary;
}

std::vector<std::string_view> max_frequent_forms(std::vector<SurfaceCount>& surfaces,
                                                 size_t vocabulary_size) {
  std::ranges::sort(surfaces, [](const SurfaceCount& a, const SurfaceCount& b) {
    return std::tuple(a.term, a.word) < std::tuple(b.term, b.word);
  });
  std::vector<std::string_view> forms(vocabulary_size);
  std::vector<uint64_t> best(vocabulary_size, 0);
  for (size_t i = 0; i < surfaces.size();) {
    const SurfaceCount& form = surfaces[i];
    uint64_t count = 0;
    for (; i < surfaces.size() && surfaces[i].term == form.term && surfaces[i].word == form.word;
         ++i) {
      count += surfaces[i].count;
    }
    if (count > best[form.term]) {
      best[form.term] = count;
      forms[form.term] = form.word;
    }
  }
  return forms;
}

Status write_terms(storage::FileSystem& fs, const std::string& path, size_t count,
                   const std::function<TermRow(size_t i)>& row) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, terms_kind));
  KITH_TRY(file.write_strings("stems", count, [&](size_t i) { return row(i).stem; }));
  KITH_TRY(file.write_strings("surfaces", count, [&](size_t i) { return row(i).form; }));
  std::vector<uint32_t> frequencies;
  frequencies.reserve(count);
  for (size_t i = 0; i < count; ++i) frequencies.push_back(row(i).document_frequency);
  KITH_TRY(file.write_array("df", frequencies));
  return file.finish();
}

}  // namespace kith::bags
