// Texts to documents: their elements and signatures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kith/dedup.h"

#include "jobs/dedup/document_table.h"
#include "sketch/minhash.h"
#include "text/words/shingles.h"

namespace kith::jobs {

// What is known of a document beside the text that is compared.
struct DocumentFacts {
  std::string_view name;
  std::span<const uint32_t> title;  // its words (titles.h)
  uint64_t record = 0;              // as in Document, like those below
  uint32_t file = 0;
  uint32_t bytes = 0;
  bool is_cut = false;
  // Of the whole text, where another one is compared.
  std::optional<uint64_t> text = {};
};

// Whether documents have their sketches when they are read; else these are made when it is known
// which shingles are common.
bool sketches_while_reading(const DedupOptions& options);

// One worker's maker of documents; its buffers are reused. Not thread-safe.
class DocumentMaker {
 public:
  explicit DocumentMaker(const DedupOptions& options);

  // Reads the text of the next document, which need not be there any more for add(). is_large: room
  // is made for what the text needs and no more.
  void read(std::string_view text, bool is_large);
  // Adds the document of that text to the block.
  void add(const DocumentFacts& facts);
  // Frees what a large text took.
  void forget_buffers();

  DocumentBlock block;

 private:
  const DedupOptions& options_;
  text::Shingler shingler_;
  std::optional<sketch::SetSketcher> hasher_;
  std::vector<uint64_t> elements_;
};

}  // namespace kith::jobs
