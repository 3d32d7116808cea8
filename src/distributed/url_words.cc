#include "distributed/url_words.h"

#include "bags/collapse.h"
#include "distributed/aliases.h"
#include "distributed/fragments.h"
#include "text/url/url.h"

namespace kith::distributed {
namespace {

constexpr const char* file_of_run = "run";
constexpr size_t read_block = 1 << 20;

}  // namespace

Result<std::unique_ptr<UrlWords>> UrlWords::make(const ClusterOptions& options,
                                                 std::span<const std::string_view> fragments,
                                                 std::string_view folded) {
  std::unique_ptr<UrlWords> words(new UrlWords(slots_of(options)));
  KITH_ASSIGN(const bags::AliasMap aliases, read_folded(folded));
  KITH_ASSIGN(const std::string all, read_slices(fragments, words->vocabulary_));
  bags::DocumentFrequencies frequencies(words->vocabulary_.size(), words->slots_);
  bags::CollapseOptions collapse;
  collapse.urls = options.urls;
  collapse.aliases = &aliases;
  collapse.frequencies = &frequencies;
  KITH_ASSIGN(const bags::CollapseCounts found,
              bags::collapse_partition(words->files_, all, file_of_run, collapse));
  words->fetched_ = found.fetched;
  words->left_out_ = found.left_out;
  KITH_TRY(words->open_run());
  return words;
}

Result<std::unique_ptr<UrlWords>> UrlWords::with_copies(const ClusterOptions& options,
                                                        std::span<const std::string_view> urls) {
  std::unique_ptr<UrlWords> words(new UrlWords(slots_of(options)));
  UrlRecords records(words->slots_);
  for (const std::string_view some : urls) {
    if (records.read(some, words->vocabulary_)) continue;
    return Error{ErrorKind::corrupt, "words of URLs: these are no bytes of such words"};
  }
  records.share_anchors();
  KITH_ASSIGN(bags::RunWriter writer, bags::RunWriter::create(words->files_, file_of_run));
  for (const bags::RawBag& bag : records.bags()) KITH_TRY(writer.add(bag));
  KITH_TRY(writer.finish());
  words->copies_ = records.copies();
  words->copied_ = records.copied();
  KITH_TRY(words->open_run());
  return words;
}

Status UrlWords::open_run() {
  stems_ = vocabulary_.stems();
  KITH_ASSIGN(run_, bags::RunReader::open(files_, file_of_run, read_block));
  return Status::ok();
}

// Moves to the next record; false at the end.
Result<bool> UrlWords::next_record() {
  KITH_ASSIGN(const bool more, run_->next());
  if (more && !bags::read_record(run_->record(), record_, counts_)) return run_->damaged();
  return more;
}

Result<FilePages> UrlWords::next(uint64_t urls) {
  FilePages some;
  StemNumbering numbering(slots_);
  std::vector<bags::TermCount> numbered;
  std::string url;
  while (some.urls.size() < urls) {
    KITH_ASSIGN(const bool more, next_record());
    if (!more) break;
    text::url_of_surt(record_.surt, url);
    some.urls.add(url);
    numbering.number(counts_, numbered);
    some.words.documents.resize(numbering.met().size() * slots_.parts());
    some.words.add_page(numbered, slots_);
  }
  for (const uint32_t stem : numbering.met()) some.words.stems.add(stems_[stem]);
  return some;
}

Result<std::vector<std::string>> UrlWords::next_by_content(uint64_t urls, uint32_t slices) {
  std::vector<UrlRecordWriter> writers(slices, UrlRecordWriter(slots_));
  for (uint64_t i = 0; i < urls; ++i) {
    KITH_ASSIGN(const bool more, next_record());
    if (!more) break;
    writers[slice_of(record_, slices)].add(record_, counts_);
  }
  std::vector<std::string> bytes;
  bytes.reserve(slices);
  for (UrlRecordWriter& writer : writers) bytes.push_back(writer.take(stems_));
  return bytes;
}

}  // namespace kith::distributed
