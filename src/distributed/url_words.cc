#include "distributed/url_words.h"

#include <algorithm>
#include <map>

#include "bags/collapse.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "distributed/aliases.h"
#include "distributed/fragments.h"
#include "text/url/url.h"

namespace kith::distributed {

void StemNumbering::start() {
  number_of_.clear();
  met_.clear();
}

void StemNumbering::number(std::span<const bags::TermCount> counts,
                           std::vector<bags::TermCount>& numbered) {
  numbered.clear();
  for (const bags::TermCount& entry : counts) {
    const uint32_t stem = slots_.term(entry.term);
    const auto [known, is_new] = number_of_.try_emplace(stem, static_cast<uint32_t>(met_.size()));
    if (is_new) met_.push_back(stem);
    const auto part = bags::BagPart(slots_.part(entry.term));
    numbered.push_back({slots_.slot(known->second, part), entry.count});
  }
  std::ranges::sort(numbered, {}, &bags::TermCount::term);
}

uint64_t slice_of(const bags::RunRecord& record, uint32_t slices) {
  return mix64(record.content != 0 ? record.content : hash64(record.surt)) % slices;
}

void UrlRecordWriter::add(const bags::RunRecord& record, std::span<const bags::TermCount> counts) {
  numbering_.number(counts, numbered_);
  append_string(records_, record.surt);
  append_fixed(records_, record.content);
  append_varint(records_, numbered_.size());
  for (const bags::TermCount& entry : numbered_) {
    append_varint(records_, entry.term);
    append_varint(records_, entry.count);
  }
}

std::string UrlRecordWriter::take(std::span<const std::string_view> stems) {
  std::string bytes;
  if (records_.empty()) return bytes;
  append_varint(bytes, numbering_.met().size());
  for (const uint32_t stem : numbering_.met()) append_string(bytes, stems[stem]);
  bytes += records_;
  records_.clear();
  numbering_.start();
  return bytes;
}

bool UrlRecords::read(std::string_view bytes, bags::Vocabulary& stems) {
  Cursor cursor(bytes);
  const uint64_t count = cursor.varint();
  if (count > cursor.remaining()) return false;
  std::vector<uint32_t> ids;
  for (uint64_t i = 0; i < count; ++i) ids.push_back(stems.id_of(cursor.take(cursor.varint())));
  while (!cursor.at_end()) {
    bags::RawBag& bag = bags_.emplace_back();
    bag.surt = cursor.take(cursor.varint());
    bag.content = cursor.fixed<uint64_t>();
    const uint64_t entries = cursor.varint();
    if (entries > cursor.remaining()) return false;
    for (uint64_t i = 0; i < entries; ++i) {
      const auto slot = static_cast<uint32_t>(cursor.varint());
      const auto times = static_cast<uint32_t>(cursor.varint());
      if (slots_.term(slot) >= ids.size() || times == 0) return false;
      const auto part = bags::BagPart(slots_.part(slot));
      bag.terms.push_back({slots_.slot(ids[slots_.term(slot)], part), times});
    }
    std::ranges::sort(bag.terms, {}, &bags::TermCount::term);
  }
  return !cursor.failed();
}

void UrlRecords::share_anchors() {
  std::ranges::sort(bags_, {}, &bags::RawBag::content);
  for (size_t begin = 0, end = 0; begin < bags_.size(); begin = end) {
    while (end < bags_.size() && bags_[end].content == bags_[begin].content) ++end;
    if (bags_[begin].content == 0 || end - begin < 2) continue;
    share_anchors(std::span(bags_).subspan(begin, end - begin));
    copies_ += end - begin;
    ++copied_;
  }
  std::ranges::sort(bags_, {}, &bags::RawBag::surt);
}

void UrlRecords::share_anchors(std::span<bags::RawBag> copies) {
  const auto is_anchor = [this](const bags::TermCount& entry) {
    return slots_.part(entry.term) == static_cast<unsigned>(bags::BagPart::anchor);
  };
  std::map<uint32_t, uint32_t> sums;
  for (bags::RawBag& bag : copies) {
    for (const bags::TermCount& entry : bag.terms) {
      if (!is_anchor(entry)) continue;
      uint32_t& sum = sums[entry.term];
      sum += std::min(entry.count, UINT32_MAX - sum);
    }
    std::erase_if(bag.terms, is_anchor);
  }
  for (bags::RawBag& bag : copies) {
    for (const auto& [slot, count] : sums) bag.terms.push_back({slot, count});
    std::ranges::sort(bag.terms, {}, &bags::TermCount::term);
  }
}

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
