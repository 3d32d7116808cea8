// A run of bags that a program has made itself, on many machines say: `kith cluster FOLDER -o RUN`
// makes related pages, clusters and topics of it (docs/formats/run_directory.md).
//
//   auto writer = kith::BagRunWriter::create("made-bags", {}, terms);
//   for (...) { if (auto status = (*writer)->add({key, entries}); !status) ... }
//   const kith::Status written = (*writer)->finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kith/bag_steps.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// A term, as BagDictionary has it.
struct BagRunTerm {
  std::string_view stem;
  std::string_view word;   // the form of the stem that people are shown
  uint64_t documents = 0;  // bags that have it; of bags of both kinds contents
};

struct BagRunUrl {
  std::string_view key;  // BagSteps::url_keys()
  // Of its bag, which may be empty: terms ascend in the low halves, and in the high ones are their
  // weights in units of 2^-16, which add up to 100.
  std::span<const uint64_t> entries = {};
  bool fetched = true;             // false: it was only seen in links
  std::string_view language = {};  // of a page, as a tag or a name; empty: not known
};

// Not thread-safe. Memory: 21 bytes a URL. What is not finished is removed with this object.
class BagRunWriter {
 public:
  // terms: by their numbers; needed during the call only. Of options the run keeps what bags are.
  // Errors: the folder exists and has something in it; of kind usage, terms that are too many.
  static Result<std::unique_ptr<BagRunWriter>> create(const std::string& directory,
                                                      const BagStepOptions& options,
                                                      std::span<const BagRunTerm> terms);
  ~BagRunWriter();
  BagRunWriter(const BagRunWriter&) = delete;
  BagRunWriter& operator=(const BagRunWriter&) = delete;

  // URLs ascend by the bytes of their keys. Errors of kind usage name a key that does not, that is
  // empty, or whose bag is none or has other terms.
  Status add(const BagRunUrl& url);
  // To be called once, after the last URL. The folder is complete then.
  Status finish();

 private:
  struct State;
  explicit BagRunWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
