#include "form_counts.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "distributed/dedup_steps.h"

namespace kith::python {
namespace {

// Takes the strings one after the other.
class Reader {
 public:
  explicit Reader(const SizedStrings& strings) : strings_(strings) {}

  std::string_view next() {
    const uint32_t size = strings_.sizes[at_++];
    const auto bytes = strings_.bytes.subspan(begin_, size);
    begin_ += size;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  const SizedStrings strings_;
  size_t at_ = 0;
  size_t begin_ = 0;
};

bool fit(const SizedStrings& strings) {
  const std::span<const uint32_t> sizes = strings.sizes;
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}) == strings.bytes.size();
}

bool fit(const StemForms& given, size_t parts) {
  const size_t stems = given.stems.sizes.size();
  const size_t forms = given.forms.sizes.size();
  const auto is_there = [&](uint32_t stem) { return stem < stems; };
  return fit(given.stems) && fit(given.forms) && given.documents.size() == stems * parts &&
         given.form_stems.size() == forms && given.form_counts.size() == forms &&
         std::ranges::is_sorted(given.form_stems) &&
         std::ranges::all_of(given.form_stems, is_there);
}

}  // namespace

Status FormCounts::add(const StemForms& more, size_t parts) {
  if (parts < 1 || parts > max_parts || !fit(more, parts)) {
    return Error{ErrorKind::corrupt, "stems and their forms: the arrays do not fit together"};
  }
  Reader stems(more.stems);
  Reader forms(more.forms);
  size_t form = 0;
  for (size_t i = 0; i < more.stems.sizes.size(); ++i) {
    Stem& stem = stems_[stem_of(stems.next())];
    for (size_t part = 0; part < parts; ++part) {
      stem.documents[part] += more.documents[i * parts + part];
    }
    for (; form < more.form_stems.size() && more.form_stems[form] == i; ++form) {
      add_form(stem, forms.next(), more.form_counts[form]);
    }
  }
  return Status::ok();
}

template <class Take>
void FormCounts::each_form(const Stem& stem, const Take& take) const {
  if (!stem.has_form) return;
  take(stem.form);
  for (uint32_t at = stem.form.next; at != none; at = more_forms_[at].next) take(more_forms_[at]);
}

std::vector<OwnedStemForms> FormCounts::take_slices(uint32_t slices) {
  std::vector<OwnedStemForms> found(slices);
  for (const Stem& stem : stems_) {
    OwnedStemForms& slice = found[slice_of_text(stem.bytes, slices)];
    const auto number = static_cast<uint32_t>(slice.stems.size());
    slice.stems.add(stem.bytes);
    for (const uint64_t documents : stem.documents) {
      slice.documents.push_back(static_cast<uint32_t>(documents));
    }
    each_form(stem, [&](const Form& form) {
      slice.forms.add(form.bytes);
      slice.form_stems.push_back(number);
      slice.form_counts.push_back(form.count);
    });
  }
  clear();
  return found;
}

FoundTerms FormCounts::terms(uint64_t min_documents) const {
  std::vector<const Stem*> terms;
  for (const Stem& stem : stems_) {
    if (std::ranges::max(stem.documents) >= min_documents) terms.push_back(&stem);
  }
  std::ranges::sort(terms, {}, [](const Stem* stem) { return stem->bytes; });
  FoundTerms found;
  for (const Stem* const stem : terms) {
    const Form* best = nullptr;
    each_form(*stem, [&](const Form& form) {
      if (best == nullptr || form.count > best->count ||
          (form.count == best->count && form.bytes < best->bytes)) {
        best = &form;
      }
    });
    found.stems.add(stem->bytes);
    found.words.add(best == nullptr ? std::string_view() : best->bytes);
    found.documents.push_back(static_cast<int64_t>(stem->documents[0]));
    found.linked.push_back(static_cast<int64_t>(stem->documents[1]));
  }
  return found;
}

uint32_t FormCounts::stem_of(std::string_view bytes) {
  const auto found = numbers_.find(bytes);
  if (found != numbers_.end()) return found->second;
  const std::string_view own = kept(bytes);
  const auto number = static_cast<uint32_t>(stems_.size());
  stems_.push_back({.bytes = own, .form = {}});
  numbers_.emplace(own, number);
  return number;
}

void FormCounts::add_form(Stem& stem, std::string_view bytes, uint64_t count) {
  const auto made = [&] {
    ++forms_;
    // Many forms are their stem.
    return Form{bytes == stem.bytes ? stem.bytes : kept(bytes), count};
  };
  if (!stem.has_form) {
    stem.has_form = true;
    stem.form = made();
    return;
  }
  for (Form* form = &stem.form;; form = &more_forms_[form->next]) {
    if (form->bytes == bytes) {
      form->count += count;
      return;
    }
    if (form->next == none) {
      form->next = static_cast<uint32_t>(more_forms_.size());
      more_forms_.push_back(made());
      return;
    }
  }
}

std::string_view FormCounts::kept(std::string_view bytes) {
  if (bytes.empty()) return {};
  auto* const own = static_cast<char*>(bytes_.allocate(bytes.size(), 1));
  std::memcpy(own, bytes.data(), bytes.size());
  return {own, bytes.size()};
}

void FormCounts::clear() {
  numbers_.clear();
  stems_.clear();
  more_forms_.clear();
  forms_ = 0;
  bytes_.release();
}

uint32_t slice_of_text(std::string_view text, uint32_t slices) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  hash ^= hash >> 32;
  return distributed::slice_of(static_cast<uint32_t>(hash * 0x9e3779b97f4a7c15 >> 32), slices);
}

}  // namespace kith::python
