#include "bags/dictionary.h"

#include <algorithm>
#include <tuple>

#include "bags/tables.h"
#include "bags/weights.h"
#include "storage/section_file.h"

namespace kith::bags {

Dictionary make_dictionary(const DictionaryOptions& options,
                           std::span<const std::string_view> stems,
                           std::span<const uint32_t> document_frequency, uint64_t n) {
  Dictionary dictionary;
  for (uint32_t id = 0; id < stems.size(); ++id) {
    if (document_frequency[id] == 0) continue;  // only ever seen in windows that make no bag
    if (document_frequency[id] >= options.min_df) {
      dictionary.provisional_id.push_back(id);
    } else {
      ++dictionary.dropped_rare;
    }
  }
  std::ranges::sort(dictionary.provisional_id, [&](uint32_t a, uint32_t b) {
    return std::tuple(document_frequency[b], stems[a]) <
           std::tuple(document_frequency[a], stems[b]);
  });

  dictionary.final_id.assign(stems.size(), no_term);
  const uint64_t limit =
      std::max(least_max_df, static_cast<uint64_t>(options.max_df * static_cast<double>(n)));
  for (const uint32_t id : dictionary.provisional_id) {
    dictionary.final_id[id] = static_cast<uint32_t>(dictionary.factor.size());
    dictionary.factor.push_back(term_factor(options.weighting, document_frequency[id], n));
    dictionary.frequent += document_frequency[id] > limit;
  }
  return dictionary;
}

std::vector<std::string_view> most_frequent_forms(std::vector<SurfaceCount>& surfaces,
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

namespace {

// Two sections: the bytes of the strings, and their offsets.
Status write_strings(storage::SectionWriter& file, const std::string& name,
                     std::span<const uint32_t> order, std::span<const std::string_view> strings) {
  std::vector<uint64_t> offsets{0};
  KITH_TRY(file.begin(name));
  for (const uint32_t id : order) {
    KITH_TRY(file.append(strings[id]));
    offsets.push_back(offsets.back() + strings[id].size());
  }
  KITH_TRY(file.begin(name + "_at"));
  return file.append_array(std::span<const uint64_t>(offsets));
}

}  // namespace

Status write_terms(storage::FileSystem& fs, const std::string& path, const Dictionary& dictionary,
                   std::span<const std::string_view> stems, std::span<const std::string_view> forms,
                   std::span<const uint32_t> document_frequency) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, terms_kind));
  KITH_TRY(write_strings(file, "stems", dictionary.provisional_id, stems));
  KITH_TRY(write_strings(file, "surfaces", dictionary.provisional_id, forms));
  std::vector<uint32_t> frequencies;
  for (const uint32_t id : dictionary.provisional_id) {
    frequencies.push_back(document_frequency[id]);
  }
  KITH_TRY(file.begin("df"));
  KITH_TRY(file.append_array(std::span<const uint32_t>(frequencies)));
  return file.finish();
}

}  // namespace kith::bags
