#include "jobs/stream/dictionary.h"

#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/cluster/run_directory.h"
#include "run/stage_files.h"

namespace kith::jobs {

Result<std::unique_ptr<const WordDictionary>> WordDictionary::open(const std::string& directory) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, RunDirectory::open(fs, directory));
  if (run.report().options.bags == BagKind::anchor) {
    return Error{
        ErrorKind::usage,
        fmt::format("dictionary = {}: its bags are of the words around links; make the run "
                    "with bags = both or content",
                    directory)};
  }
  auto dictionary = std::make_unique<WordDictionary>();
  KITH_ASSIGN(dictionary->terms_, bags::TermTable::open(fs, run.file(run::terms_file)));
  KITH_TRY(dictionary->terms_.verify());
  dictionary->words_.emplace(dictionary->terms_, run.report());
  StreamHash hash;
  for (uint32_t term = 0; term < dictionary->terms_.size(); ++term) {
    const std::string entry =
        fmt::format("{} {} {}\n", dictionary->terms_.stem(term), dictionary->words_->factor(term),
                    dictionary->words_->is_frequent(term));
    hash.update(as_bytes(entry));
  }
  dictionary->key_ =
      fmt::format("{:016x} {} {}", hash.digest(), name(dictionary->words_->weighting()),
                  dictionary->words_->max_terms());
  return std::unique_ptr<const WordDictionary>(std::move(dictionary));
}

}  // namespace kith::jobs
