#include "bags/run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace kith::bags {
namespace {

constexpr size_t length_bytes = sizeof(uint32_t);

void encode(const RawBag& bag, std::string& out) {
  append_string(out, bag.surt);
  out.push_back(static_cast<char>(bag.facts));
  if (bag.facts != 0) {
    append_fixed(out, bag.content);
    append_fixed(out, bag.time);
  }
  append_varint(out, bag.inlinks);
  append_string(out, bag.title);
  append_varint(out, bag.terms.size());
  uint32_t last = 0;
  for (const TermCount& entry : bag.terms) {
    append_varint(out, entry.term - last);
    append_varint(out, entry.count);
    last = entry.term;
  }
}

// What stands before the terms.
void read_head(Cursor& cursor, RunRecord& record) {
  record.surt = cursor.take(cursor.varint());
  record.facts = cursor.fixed<uint8_t>();
  record.content = record.facts != 0 ? cursor.fixed<uint64_t>() : 0;
  record.time = record.facts != 0 ? cursor.fixed<int64_t>() : no_time;
  record.inlinks = static_cast<uint32_t>(cursor.varint());
  record.title = cursor.take(cursor.varint());
}

}  // namespace

Result<RunWriter> RunWriter::create(storage::FileSystem& fs, const std::string& path,
                                    size_t block_bytes) {
  RunWriter writer;
  KITH_ASSIGN(writer.file_, fs.create(path));
  writer.block_bytes_ = block_bytes;
  return writer;
}

Status RunWriter::add(const RawBag& bag) {
  record_.clear();
  encode(bag, record_);
  return add(std::string_view(record_));
}

Status RunWriter::add(std::string_view record) {
  if (buffer_.size() + length_bytes + record.size() > block_bytes_) {
    KITH_TRY(file_->append(as_bytes(buffer_)));
    buffer_.clear();
  }
  append_fixed(buffer_, static_cast<uint32_t>(record.size()));
  buffer_ += record;
  return Status::ok();
}

Status RunWriter::finish() {
  KITH_TRY(file_->append(as_bytes(buffer_)));
  return file_->close();
}

bool read_record(std::string_view bytes, RunRecord& record) {
  Cursor cursor(bytes);
  read_head(cursor, record);
  return !cursor.failed();
}

bool read_record(std::string_view bytes, RunRecord& record, std::vector<TermCount>& terms) {
  Cursor cursor(bytes);
  read_head(cursor, record);
  terms.resize(std::min<uint64_t>(cursor.varint(), cursor.remaining()));
  uint64_t term = 0;
  for (TermCount& entry : terms) {
    const uint64_t step = cursor.varint();
    const uint64_t count = cursor.varint();
    const bool ascends = step > 0 || &entry == terms.data();
    if (!ascends || step > UINT32_MAX - term || count == 0 || count > UINT32_MAX) return false;
    term += step;
    entry = {static_cast<uint32_t>(term), static_cast<uint32_t>(count)};
  }
  return !cursor.failed() && cursor.at_end();
}

Result<RunReader> RunReader::open(storage::FileSystem& fs, const std::string& path,
                                  size_t block_bytes) {
  RunReader reader;
  KITH_ASSIGN(reader.size_, storage::file_size(fs, path));
  reader.fs_ = &fs;
  reader.path_ = path;
  reader.block_bytes_ = block_bytes;
  return reader;
}

// Makes `needed` bytes stand in the buffer from begin_ on; false at the end of the file.
Result<bool> RunReader::fill(size_t needed) {
  if (buffer_.size() - begin_ >= needed) return true;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t kept = buffer_.size();
  const uint64_t left = size_ - std::min(size_, position_);
  const size_t wanted = std::max(needed > kept ? needed - kept : 0, block_bytes_);
  buffer_.resize(kept + static_cast<size_t>(std::min<uint64_t>(wanted, left)));
  if (buffer_.size() == kept) return kept >= needed;
  const std::span<char> space(buffer_.data() + kept, buffer_.size() - kept);
  KITH_ASSIGN(const size_t got,
              storage::read_block(*fs_, path_, position_, std::as_writable_bytes(space)));
  position_ += got;
  buffer_.resize(kept + got);
  return buffer_.size() >= needed;
}

Error RunReader::damaged() const {
  return {
      ErrorKind::corrupt,
      fmt::format("{}: a temporary file changed while it was in use; run the same command again",
                  path_)};
}

Result<bool> RunReader::next() {
  KITH_ASSIGN(const bool more, fill(length_bytes));
  if (!more) {
    if (buffer_.size() != begin_) return damaged();
    return false;
  }
  Cursor length(std::string_view(buffer_).substr(begin_, length_bytes));
  const auto size = length.fixed<uint32_t>();
  begin_ += length_bytes;
  KITH_ASSIGN(const bool whole, fill(size));
  if (!whole) return damaged();
  Cursor cursor(std::string_view(buffer_).substr(begin_, size));
  const std::string_view surt = cursor.take(cursor.varint());
  if (cursor.failed()) return damaged();
  surt_begin_ = static_cast<size_t>(surt.data() - buffer_.data());
  surt_bytes_ = surt.size();
  record_bytes_ = size;
  begin_ += size;
  return true;
}

Result<std::unique_ptr<RunMerger>> RunMerger::open(storage::FileSystem& fs,
                                                   std::span<const std::string> run_paths,
                                                   uint64_t read_buffers) {
  std::unique_ptr<RunMerger> merger(new RunMerger);
  const size_t block =
      std::clamp<size_t>(read_buffers / std::max<size_t>(1, run_paths.size()), 4 << 10, 1 << 20);
  for (const std::string& path : run_paths) {
    KITH_ASSIGN(RunReader reader, RunReader::open(fs, path, block));
    KITH_ASSIGN(const bool more, reader.next());
    merger->readers_.push_back(std::move(reader));
    merger->open_.push_back(more);
  }
  if (!run_paths.empty()) merger->tree_.emplace(run_paths.size(), Less{merger.get()});
  return merger;
}

Status RunMerger::next() {
  const size_t now = source();
  KITH_ASSIGN(const bool more, readers_[now].next());
  open_[now] = more;
  tree_->replay();
  return Status::ok();
}

namespace {

using Take = std::function<Status(const RawBag& bag)>;

constexpr size_t max_fan_in = 64;

uint32_t capped_sum(uint32_t a, uint32_t b) {
  return a + std::min(b, UINT32_MAX - a);
}

// Adds counts to counts, both in the order of their terms.
void add_terms(std::vector<TermCount>& terms, std::span<const TermCount> more,
               std::vector<TermCount>& buffer) {
  buffer.clear();
  if (const size_t most = terms.size() + more.size(); buffer.capacity() < most) {
    // A long page has millions of terms: doubling would hold three times as many.
    buffer.shrink_to_fit();
    buffer.reserve(most + most / 16);
  }
  auto a = terms.begin();
  for (const TermCount& entry : more) {
    while (a != terms.end() && a->term < entry.term) buffer.push_back(*a++);
    buffer.push_back(entry);
    if (a != terms.end() && a->term == entry.term) {
      buffer.back().count = capped_sum(a++->count, entry.count);
    }
  }
  buffer.insert(buffer.end(), a, terms.end());
  terms.swap(buffer);
}

// The records at the front that are of one URL, as one bag.
class BagJoiner {
 public:
  Result<const RawBag*> next(RunMerger& runs) {
    bag_.surt = runs.surt();
    bag_.facts = 0;
    bag_.inlinks = 0;
    bag_.content = 0;
    bag_.time = no_time;
    bag_.title.clear();
    bag_.terms.clear();
    while (runs.more() && runs.surt() == bag_.surt) {
      RunRecord record;
      if (!read_record(runs.record(), record, terms_)) return runs.damaged(runs.source());
      bag_.facts = std::max(bag_.facts, record.facts);
      bag_.inlinks = capped_sum(bag_.inlinks, record.inlinks);
      bag_.content = std::max(bag_.content, record.content);
      bag_.time = std::max(bag_.time, record.time);
      if (bag_.title.empty()) bag_.title = record.title;
      add_terms(bag_.terms, terms_, buffer_);
      KITH_TRY(runs.next());
    }
    return &bag_;
  }

 private:
  RawBag bag_;
  std::vector<TermCount> terms_;
  std::vector<TermCount> buffer_;
};

Status join_few(storage::FileSystem& fs, std::span<const std::string> runs, const std::string& path,
                const Budget& memory, const Take& take) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, memory.bytes(Share::joined_runs)));
  const auto write_block = std::clamp<size_t>(memory.bytes(Share::joined_block), 64 << 10, 1 << 20);
  KITH_ASSIGN(RunWriter out, RunWriter::create(fs, path, write_block));
  BagJoiner joiner;
  while (merger->more()) {
    KITH_ASSIGN(const RawBag* const bag, joiner.next(*merger));
    if (take) KITH_TRY(take(*bag));
    KITH_TRY(out.add(*bag));
  }
  KITH_TRY(out.finish());
  for (const std::string& run : runs) KITH_TRY(fs.remove(run));
  return Status::ok();
}

}  // namespace

Status join_runs(storage::FileSystem& fs, std::vector<std::string> runs, const std::string& path,
                 const Budget& memory, const Take& take) {
  for (uint64_t level = 0; runs.size() > max_fan_in; ++level) {
    std::vector<std::string> joined;
    for (size_t begin = 0; begin < runs.size(); begin += max_fan_in) {
      const auto some = std::span(runs).subspan(begin, std::min(max_fan_in, runs.size() - begin));
      joined.push_back(fmt::format("{}-joined-{}-{}", path, level, joined.size()));
      KITH_TRY(join_few(fs, some, joined.back(), memory, nullptr));
    }
    runs = std::move(joined);
  }
  return join_few(fs, runs, path, memory, take);
}

}  // namespace kith::bags
