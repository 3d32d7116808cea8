#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/table_files.h"

#include "base/bytes.h"
#include "base/check.h"
#include "crawl/codec/member_codec.h"
#include "crawl/copy/record_copy.h"
#include "crawl/read/input_reader.h"

namespace kith::crawl {
namespace {

bool overlap(const Extent& cut, const MemberExtent& member) {
  return cut.begin < member.unpacked_end && member.unpacked_begin < cut.end;
}

bool covers(const Extent& cut, const MemberExtent& member) {
  return cut.begin <= member.unpacked_begin && member.unpacked_end <= cut.end;
}

}  // namespace

void FileCuts::member_ended(const MemberExtent& member, uint64_t position) {
  settle(position);
  // One without bytes needs no decision, and any number of them may come before the next byte.
  if (member.unpacked_begin < member.unpacked_end) pending_.push_back(member);
}

void FileCuts::record_begins(uint64_t record, uint64_t position) {
  settle(position);
  const bool is_needed = std::exchange(next_is_needed_, false);
  if (next_ == records_.size() || records_[next_] != record) return;
  ++next_;
  if (is_needed) {
    ++kept_by_damage_;
    return;
  }
  cuts_.push_back({position, kOpen, record});
}

void FileCuts::record_ended(uint64_t position) {
  if (!cuts_.empty() && cuts_.back().end == kOpen) cuts_.back().end = position;
  settle(position);
}

void FileCuts::record_needs_next() {
  next_is_needed_ = true;
}

// Decides the members that the reader has passed: all cuts before `position` are known.
void FileCuts::settle(uint64_t position) {
  while (!pending_.empty() && pending_.front().unpacked_end <= position) {
    decide(pending_.front());
    pending_.pop_front();
  }
}

void FileCuts::decide(const MemberExtent& member) {
  while (first_cut_ < cuts_.size() && cuts_[first_cut_].end <= member.unpacked_begin) ++first_cut_;
  if (first_cut_ == cuts_.size()) return;
  const Extent& cut = cuts_[first_cut_];
  if (!overlap(cut, member)) return;
  if (member.sound && covers(cut, member) && !touched_.empty() &&
      touched_.back().cut == first_cut_) {
    MemberExtent& before = touched_.back().members;
    if (before.sound && covers(cut, before)) {
      before.end = member.end;
      before.unpacked_end = member.unpacked_end;
      return;
    }
  }
  touched_.push_back({member, first_cut_});
}

// Gives back the cuts that overlap a broken member.
void FileCuts::finish() {
  settle(kOpen);
  std::vector<Extent> sound_cuts;
  auto broken = touched_.begin();
  for (const Extent& cut : cuts_) {
    while (broken != touched_.end() &&
           (broken->members.sound || broken->members.unpacked_end <= cut.begin)) {
      ++broken;
    }
    if (broken != touched_.end() && overlap(cut, broken->members)) {
      ++kept_by_damage_;
    } else {
      sound_cuts.push_back(cut);
    }
  }
  cuts_ = std::move(sound_cuts);
}

namespace {

constexpr size_t kBlock = 4u << 20;            // one read, one write
constexpr size_t kUnpackedBlock = 256u << 10;  // stays in the cache until it is packed again

Error has_changed(const InputFile& file) {
  return {ErrorKind::corrupt,
          fmt::format("{} does not hold the records that were read of it: it has changed since; "
                      "run again on a file that stays as it is",
                      file.path)};
}

std::unique_ptr<InputReader> make_reader(UnpackedStream stream, const InputFile& file) {
  switch (file.format) {
    case FileFormat::warc:
      return make_archive_reader(std::move(stream), file.path, ArchiveFormat::warc);
    case FileFormat::arc:
      return make_archive_reader(std::move(stream), file.path, ArchiveFormat::arc);
    case FileFormat::csv:
      return make_csv_reader(std::move(stream), file.path);
    default:
      return make_jsonl_reader(std::move(stream), file.path);
  }
}

// Reads all of `stream` for its layout alone.
Status read_layout(UnpackedStream stream, const InputFile& file, LayoutLog& log) {
  stream.set_layout_log(log);
  const std::unique_ptr<InputReader> reader = make_reader(std::move(stream), file);
  RecordRules rules;
  rules.max_page = 1;  // where records lie does not depend on it
  PageBatch batch;
  for (bool more = true; more;) {
    Tally tally;
    BatchBuilder builder(batch, rules, tally);
    KITH_ASSIGN(more, reader->read(builder));
  }
  return Status::ok();
}

// What is left of a member: bytes of it, or, where `text` is not empty, what comes to stand at
// `begin` in the place of a record.
struct KeptPart : Extent {
  std::string text = {};
};

// Bytes of the input on their way to the copy.
class FileCopier {
 public:
  FileCopier(const InputFile& file, const storage::ReadableFile& from,
             const Replacement& replacement, storage::WritableFile& to)
      : file_(file), from_(from), replacement_(replacement), to_(to) {}

  Status write(std::string_view bytes);
  // The bytes [begin, end) as they lie on disk.
  Status copy(uint64_t begin, uint64_t end);
  Status copy_plain(const FileCuts& cuts);
  Status copy_packed(const FileCuts& cuts, Codec codec, std::string_view dictionary);

  uint64_t written() const { return written_; }
  uint64_t packed_again() const { return packed_again_; }
  uint64_t replaced() const { return replaced_; }

 private:
  std::string text_for(const Extent& cut);
  std::vector<KeptPart> kept_parts(const MemberExtent& member, const std::vector<Extent>& cuts,
                                   size_t& first);
  Status pack_again(const MemberExtent& member, std::span<const KeptPart> kept);
  Status pack_texts(std::span<const KeptPart> texts);
  Status feed(std::string_view bytes, uint64_t at, std::span<const KeptPart> kept);
  Result<std::string_view> read(uint64_t at, uint64_t limit);
  Status flush(size_t least);

  const InputFile& file_;
  const storage::ReadableFile& from_;
  const Replacement& replacement_;
  storage::WritableFile& to_;
  std::unique_ptr<MemberDecoder> decoder_;
  std::unique_ptr<MemberEncoder> encoder_;
  std::vector<char> block_;
  std::vector<char> unpacked_;
  std::string packed_;
  uint64_t written_ = 0;
  uint64_t packed_again_ = 0;
  uint64_t replaced_ = 0;
};

// Some bytes from `at` on, at most `limit` (> 0) of them.
Result<std::string_view> FileCopier::read(uint64_t at, uint64_t limit) {
  block_.resize(kBlock);
  const std::span<char> room(block_.data(), static_cast<size_t>(std::min<uint64_t>(limit, kBlock)));
  KITH_ASSIGN(const size_t n, from_.read_at(at, std::as_writable_bytes(room)));
  if (n == 0) return has_changed(file_);
  return std::string_view(block_.data(), n);
}

Status FileCopier::write(std::string_view bytes) {
  written_ += bytes.size();
  return to_.append(as_bytes(bytes));
}

Status FileCopier::flush(size_t least) {
  if (packed_.size() < least) return Status::ok();
  KITH_TRY(write(packed_));
  packed_.clear();
  return Status::ok();
}

Status FileCopier::copy(uint64_t begin, uint64_t end) {
  while (begin < end) {
    KITH_ASSIGN(const std::string_view bytes, read(begin, end - begin));
    KITH_TRY(write(bytes));
    begin += bytes.size();
  }
  return Status::ok();
}

Status FileCopier::copy_plain(const FileCuts& cuts) {
  uint64_t done = 0;
  for (const Extent& cut : cuts.cuts()) {
    KITH_TRY(copy(done, cut.begin));
    KITH_TRY(write(text_for(cut)));
    done = cut.end;
  }
  return copy(done, from_.size());
}

std::string FileCopier::text_for(const Extent& cut) {
  std::string text = replacement_ ? replacement_(file_.number, cut.record) : std::string();
  replaced_ += text.empty() ? 0 : 1;
  return text;
}

// What is left of members that follow each other without the cuts from `first` on, which moves to
// the first cut that may reach further.
std::vector<KeptPart> FileCopier::kept_parts(const MemberExtent& member,
                                             const std::vector<Extent>& cuts, size_t& first) {
  std::vector<KeptPart> kept;
  uint64_t begin = member.unpacked_begin;
  const uint64_t end = member.unpacked_end;
  while (first < cuts.size() && cuts[first].end <= begin) ++first;
  for (size_t i = first; i < cuts.size() && cuts[i].begin < end; ++i) {
    const Extent& cut = cuts[i];
    if (begin < cut.begin) kept.push_back({{begin, cut.begin}});
    if (cut.begin >= member.unpacked_begin) {
      if (std::string text = text_for(cut); !text.empty()) {
        kept.push_back({{cut.begin, cut.begin}, std::move(text)});
      }
    }
    begin = cut.end;
  }
  if (begin < end) kept.push_back({{begin, end}});
  return kept;
}

// Members that no cut touches are copied as they are, with whatever lies between them.
Status FileCopier::copy_packed(const FileCuts& cuts, Codec codec, std::string_view dictionary) {
  uint64_t done = 0;
  size_t cut = 0;
  for (const FileCuts::Touched& touched : cuts.touched()) {
    const MemberExtent& member = touched.members;
    const std::vector<KeptPart> kept = kept_parts(member, cuts.cuts(), cut);
    const bool is_whole = kept.size() == 1 && kept.front().begin == member.unpacked_begin &&
                          kept.front().end == member.unpacked_end;
    if (is_whole) continue;
    KITH_TRY(copy(done, member.begin));
    done = member.end;
    if (kept.empty()) continue;
    if (!encoder_) {
      decoder_ = codec == Codec::zstd ? make_zstd_decoder(kZstdFileWindow, dictionary)
                                      : make_decoder(codec);
      encoder_ = make_encoder(codec, dictionary);
    }
    const bool has_bytes = std::ranges::any_of(kept, &std::string::empty, &KeptPart::text);
    KITH_TRY(has_bytes ? pack_again(member, kept) : pack_texts(kept));
  }
  KITH_TRY(copy(done, from_.size()));
  if (written_ > 0 || from_.size() == 0) return Status::ok();
  // A compressed file of no bytes is none: a member of nothing holds nothing.
  encoder_ = make_encoder(codec, dictionary);
  encoder_->begin(0);
  encoder_->end(packed_);
  return flush(0);
}

// Writes a member of texts alone.
Status FileCopier::pack_texts(std::span<const KeptPart> texts) {
  uint64_t size = 0;
  for (const KeptPart& part : texts) size += part.text.size();
  encoder_->begin(size);
  for (const KeptPart& part : texts) encoder_->encode(part.text, packed_);
  encoder_->end(packed_);
  return flush(0);
}

// Writes a member that holds the parts `kept` of a member of the input.
Status FileCopier::pack_again(const MemberExtent& member, std::span<const KeptPart> kept) {
  ++packed_again_;
  uint64_t size = 0;
  for (const KeptPart& part : kept) size += part.end - part.begin + part.text.size();
  unpacked_.resize(kUnpackedBlock);
  decoder_->begin();
  encoder_->begin(size);
  uint64_t at = member.unpacked_begin;
  uint64_t offset = member.begin;
  std::string_view packed;
  for (DecodeState state = DecodeState::more; state != DecodeState::end;) {
    if (packed.empty() && offset < member.end) {
      KITH_ASSIGN(packed, read(offset, member.end - offset));
      offset += packed.size();
    }
    const DecodeStep step = decoder_->decode(packed, unpacked_);
    const bool waits = step.consumed == 0 && step.produced == 0 && step.state == DecodeState::more;
    if (step.state == DecodeState::bad || waits || step.produced > member.unpacked_end - at) {
      return has_changed(file_);
    }
    packed.remove_prefix(step.consumed);
    const auto is_done = [&](const KeptPart& part) {
      return part.text.empty() ? part.end <= at : part.end < at;
    };
    while (!kept.empty() && is_done(kept.front())) kept = kept.subspan(1);
    KITH_TRY(feed({unpacked_.data(), step.produced}, at, kept));
    at += step.produced;
    state = step.state;
  }
  if (at != member.unpacked_end) return has_changed(file_);
  encoder_->end(packed_);
  return flush(0);
}

// Packs the parts `kept` of unpacked bytes that lie at `at`, and the texts that stand there.
Status FileCopier::feed(std::string_view bytes, uint64_t at, std::span<const KeptPart> kept) {
  const uint64_t end = at + bytes.size();
  for (const KeptPart& part : kept) {
    if (part.begin >= end) break;
    if (!part.text.empty()) {
      if (part.begin >= at) encoder_->encode(part.text, packed_);
      continue;
    }
    const uint64_t from = std::max(part.begin, at);
    const uint64_t to = std::min(part.end, end);
    encoder_->encode(bytes.substr(static_cast<size_t>(from - at), static_cast<size_t>(to - from)),
                     packed_);
    KITH_TRY(flush(kBlock));
  }
  return Status::ok();
}

// A member of a zip file or tar, which may be unpacked on its way. For one thread, which mostly
// reads on where it stands; to go back it begins anew.
class MemberBytes final : public storage::ReadableFile {
 public:
  explicit MemberBytes(const InputFile& file) : file_(file) {}

  uint64_t size() const override { return file_.size; }

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
    const std::span<char> room(reinterpret_cast<char*>(out.data()), out.size());
    KITH_TRY(move_to(offset, room));
    size_t done = 0;
    while (done < room.size()) {
      KITH_ASSIGN(const size_t n, source_->read(room.subspan(done)));
      if (n == 0) break;
      done += n;
    }
    position_ += done;
    const char* const problem = source_->problem();
    if (done > 0 || *problem == '\0') return done;
    return Error{ErrorKind::corrupt, fmt::format("{}: {}", file_.path, problem)};
  }

 private:
  Status move_to(uint64_t offset, std::span<char> room) const {
    if (!source_ || offset < position_) {
      KITH_ASSIGN(source_, open_input(file_));
      position_ = 0;
    }
    if (source_->known_size() && offset != position_) {
      KITH_TRY(source_->seek(offset));
      position_ = offset;
    }
    while (position_ < offset) {
      const auto step = static_cast<size_t>(std::min<uint64_t>(room.size(), offset - position_));
      KITH_ASSIGN(const size_t n, source_->read(room.first(step)));
      if (n == 0) return has_changed(file_);
      position_ += n;
    }
    return Status::ok();
  }

  const InputFile& file_;
  mutable std::unique_ptr<ByteSource> source_;
  mutable uint64_t position_ = 0;
};

Result<std::unique_ptr<storage::ReadableFile>> open_bytes(storage::FileSystem& fs,
                                                          const InputFile& file) {
  if (!file.container) return fs.open(file.path);
  return std::unique_ptr<storage::ReadableFile>(std::make_unique<MemberBytes>(file));
}

}  // namespace

Status copy_without(storage::FileSystem& fs, const InputFile& file,
                    std::span<const uint64_t> removed, const CopyChanges& changes,
                    storage::WritableFile& to, CopyReport& report) {
  const bool is_table = file.format == FileFormat::table;
  if (changes.added && !is_table) return copy_with_fields(file, removed, changes, to, report);
  KITH_ASSIGN(const std::unique_ptr<storage::ReadableFile> from, open_bytes(fs, file));
  FileCopier copier(file, *from, changes.replacement, to);
  if (removed.empty() && !changes.added) {
    KITH_TRY(copier.copy(0, from->size()));
  } else if (is_table) {
    AddedColumns added{.columns = changes.added_columns, .values = {}};
    if (changes.added) {
      added.values = [&](uint64_t row) { return changes.added(file.number, row); };
    }
    KITH_TRY(file.tables->copy(file.path, removed, added,
                               [&](std::string_view bytes) { return copier.write(bytes); }));
    report.removed += removed.size();
  } else {
    KITH_ASSIGN(UnpackedStream stream, open_stream(file));
    const std::optional<Codec> codec = stream.codec();
    const std::string dictionary = stream.dictionary();
    FileCuts cuts(removed);
    KITH_TRY(read_layout(std::move(stream), file, cuts));
    cuts.finish();
    if (!cuts.has_met_all()) return has_changed(file);
    KITH_TRY(codec ? copier.copy_packed(cuts, *codec, dictionary) : copier.copy_plain(cuts));
    report.removed += cuts.cuts().size();
    report.kept_by_damage += cuts.kept_by_damage();
  }
  report.bytes_in += from->size();
  report.bytes_out += copier.written();
  report.packed_again += copier.packed_again();
  report.replaced += copier.replaced();
  return Status::ok();
}

}  // namespace kith::crawl
