#include "kith/shingles.h"

#include <algorithm>
#include <utility>

#include "api/batch.h"
#include "jobs/dedup/read.h"
#include "text/words/shingles.h"
#include "text/words/text_size.h"

namespace kith {
namespace {

constexpr size_t texts_per_chunk = 64;

// The sets of consecutive texts.
struct Part {
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> elements;
};

Sets joined(std::vector<Part>& parts) {
  Sets sets;
  size_t elements = 0;
  for (const Part& part : parts) elements += part.elements.size();
  sets.elements.reserve(elements);
  for (Part& part : parts) {
    for (const uint64_t size : part.sizes) sets.offsets.push_back(sets.offsets.back() + size);
    sets.elements.insert(sets.elements.end(), part.elements.begin(), part.elements.end());
    part = {};
  }
  return sets;
}

}  // namespace

Result<std::vector<uint64_t>> shingles(std::string_view text, const ShingleOptions& options) {
  KITH_ASSIGN(Sets sets, shingles(std::span(&text, 1), options, 1));
  return std::move(sets.elements);
}

Result<Sets> shingles(std::span<const std::string_view> texts, const ShingleOptions& options,
                      unsigned threads) {
  KITH_TRY(validate(options));
  const auto make = [&]() -> Result<Sets> {
    std::vector<Part> parts((texts.size() + texts_per_chunk - 1) / texts_per_chunk);
    const auto read = [&](size_t begin, size_t end) -> Status {
      text::Shingler shingler(jobs::shingle_options(options));
      Part& part = parts[begin / texts_per_chunk];
      std::vector<uint64_t> elements;
      for (size_t i = begin; i < end; ++i) {
        KITH_TRY(text::check_size(texts[i], i));
        shingler.elements(texts[i], elements);
        part.sizes.push_back(elements.size());
        part.elements.insert(part.elements.end(), elements.begin(), elements.end());
      }
      return Status::ok();
    };
    KITH_TRY(api::for_chunks(texts.size(), texts_per_chunk, threads, read));
    return joined(parts);
  };
  return run::guarded(make);
}

}  // namespace kith
