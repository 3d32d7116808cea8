#include "jobs/dedup/document_maker.h"

#include "base/free_memory.h"
#include "base/hash.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"

namespace kith::jobs {

bool sketches_while_reading(const DedupOptions& options) {
  return needs_signatures(options) && options.max_documents == 0;
}

DocumentMaker::DocumentMaker(const DedupOptions& options)
    : options_(options), shingler_(shingle_options(options)) {
  if (!sketches_while_reading(options)) return;
  const run::SketchParams params = sketch_params(options);
  hasher_.emplace(sketch::SetSketchOptions{params.family, params.lanes, params.seed});
}

void DocumentMaker::read(std::string_view text, bool is_large) {
  // Growing would take half as much again, and leave holes.
  if (is_large) elements_.reserve(shingler_.count_tokens(text));
  shingler_.read(text, elements_);
}

void DocumentMaker::add(const DocumentFacts& facts) {
  const uint64_t text_hash = facts.text ? *facts.text : text::hash_of_text(elements_);
  // What is removed must be like what is kept to its last word.
  if (facts.is_cut) elements_.clear();
  block.cut += facts.is_cut ? 1 : 0;
  block.title_words.insert(block.title_words.end(), facts.title.begin(), facts.title.end());
  block.title_sizes.push_back(static_cast<uint8_t>(facts.title.size()));
  Document document;
  document.record = facts.record;
  document.file = facts.file;
  document.bytes = facts.bytes;
  shingler_.make_elements(elements_);
  if (!elements_.empty()) {
    document.fingerprint = hash64(std::as_bytes(std::span<const uint64_t>(elements_)));
    document.text = text_hash;
  }
  block.documents.push_back(document);
  block.names.emplace_back(facts.name);
  block.sizes.push_back(static_cast<uint32_t>(elements_.size()));
  if (hasher_) {
    block.signatures.resize(block.signatures.size() + hasher_->lanes());
    hasher_->sketch(elements_, std::span(block.signatures).last(hasher_->lanes()));
  }
  if (block.elements.empty()) {
    block.elements.swap(elements_);
  } else {
    block.elements.insert(block.elements.end(), elements_.begin(), elements_.end());
  }
}

void DocumentMaker::forget_buffers() {
  block = {};
  shingler_ = text::Shingler(shingle_options(options_));
  free_memory(elements_);
}

}  // namespace kith::jobs
