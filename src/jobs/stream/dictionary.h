// The words of a run, by which a stream makes bags.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kith/status.h"

#include "bags/tables.h"
#include "jobs/page_bagger.h"

namespace kith::jobs {

// Immutable, thread-safe.
class WordDictionary {
 public:
  // Errors: of a folder that holds no finished run, and of kind usage of a run of anchor bags,
  // which say nothing about the words of pages.
  static Result<std::unique_ptr<const WordDictionary>> open(const std::string& directory);

  const RunDictionary& words() const { return *words_; }
  // The same text for the same words with the same weights, and only for these but for 2^-64.
  const std::string& key() const { return key_; }

 private:
  bags::TermTable terms_;
  std::optional<RunDictionary> words_;  // views of terms_
  std::string key_;
};

}  // namespace kith::jobs
