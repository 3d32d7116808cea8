// How often stems and their forms are met, added up: for kith.spark, where words of many pages come
// together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "distributed/page_words.h"

namespace kith::python {

// Strings side by side, and their sizes.
struct SizedStrings {
  std::span<const uint8_t> bytes;
  std::span<const uint32_t> sizes;
};

// Some stems with their forms, as in distributed::PageWords: documents has `parts` numbers of each
// stem, and form_stems ascend, so that the forms of a stem are together.
struct StemForms {
  SizedStrings stems;
  std::span<const uint32_t> documents;
  SizedStrings forms;
  std::span<const uint32_t> form_stems;
  std::span<const uint64_t> form_counts;
};

// The same in memory of its own.
struct OwnedStemForms {
  distributed::StringList stems;
  std::vector<uint32_t> documents;  // two of each stem
  distributed::StringList forms;
  std::vector<uint32_t> form_stems;
  std::vector<uint64_t> form_counts;
};

// The stems of enough documents, ascending by their bytes, each with the form that is met most
// often, of equally frequent ones the first by its bytes.
struct FoundTerms {
  distributed::StringList stems;
  distributed::StringList words;
  std::vector<int64_t> documents;
  std::vector<int64_t> linked;
};

// Of one thread.
class FormCounts {
 public:
  static constexpr size_t max_parts = 2;

  // Adds them to what there is. Errors of kind corrupt: arrays that do not fit together; some of
  // them may have been added then.
  Status add(const StemForms& more, size_t parts);

  size_t stems() const { return stems_.size(); }
  size_t forms() const { return forms_; }

  // By slice of stems (slice_of_text), all that there is. No more is there then.
  std::vector<OwnedStemForms> take_slices(uint32_t slices);
  // The terms that are in min_documents in some part.
  FoundTerms terms(uint64_t min_documents) const;

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Form {
    std::string_view bytes = {};
    uint64_t count = 0;
    uint32_t next = none;  // of the same stem, in more_forms_
  };
  // With the first of its forms, by itself the only one of most stems.
  struct Stem {
    std::string_view bytes;
    std::array<uint64_t, max_parts> documents = {};
    bool has_form = false;
    Form form;
  };

  uint32_t stem_of(std::string_view bytes);
  void add_form(Stem& stem, std::string_view bytes, uint64_t count);
  // Calls take(form) for all forms of a stem.
  template <class Take>
  void each_form(const Stem& stem, const Take& take) const;
  std::string_view kept(std::string_view bytes);
  void clear();

  std::pmr::monotonic_buffer_resource bytes_;
  std::vector<Stem> stems_;
  std::vector<Form> more_forms_;
  size_t forms_ = 0;
  boost::unordered_flat_map<std::string_view, uint32_t> numbers_;  // of stems
};

// Which of the slices a text is in, by its bytes alone.
uint32_t slice_of_text(std::string_view text, uint32_t slices);

}  // namespace kith::python
