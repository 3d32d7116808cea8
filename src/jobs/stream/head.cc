#include "jobs/stream/head.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kith/dedup.h"

#include "base/bytes.h"

namespace kith::jobs {
namespace {

constexpr uint8_t ahead_bit = 0x80;  // beside the kind

}  // namespace

void encode(const Record& record, std::string& bytes) {
  bytes.clear();
  const auto kind = static_cast<uint8_t>(record.kind);
  append_fixed(bytes, static_cast<uint8_t>(record.is_ahead ? kind | ahead_bit : kind));
  append_fixed(bytes, record.time);
  append_varint(bytes, record.next);
  append_varint(bytes, record.source.size());
  bytes += record.source;
  append_varint(bytes, record.name.size());
  bytes += record.name;
  append_varint(bytes, record.words.size());
  for (const PageWord& word : record.words) {
    append_fixed(bytes, word.stem);
    append_varint(bytes, word.form.size());
    bytes += word.form;
  }
  bytes += as_text(std::as_bytes(record.features));
}

Result<Record> decode(std::string_view bytes, RecordBuffers& buffers) {
  Cursor cursor(bytes);
  Record record;
  const auto bits = cursor.fixed<uint8_t>();
  const auto kind = static_cast<uint8_t>(bits & ~ahead_bit);
  record.is_ahead = bits != kind;
  record.kind = static_cast<RecordKind>(kind);
  record.time = cursor.fixed<int64_t>();
  record.next = cursor.varint();
  record.source = cursor.take(cursor.varint());
  record.name = cursor.take(cursor.varint());
  buffers.words.clear();
  for (uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    const auto stem = cursor.fixed<uint64_t>();
    buffers.words.push_back({stem, cursor.take(cursor.varint())});
  }
  const std::string_view rest = cursor.take(cursor.remaining());
  const bool is_known = kind >= static_cast<uint8_t>(RecordKind::page) &&
                        kind <= static_cast<uint8_t>(RecordKind::source);
  if (cursor.failed() || !is_known || rest.size() % sizeof(uint64_t) != 0) {
    return Error{ErrorKind::corrupt, "a record of the log that no version of kith has written"};
  }
  buffers.features.resize(rest.size() / sizeof(uint64_t));
  if (!rest.empty()) std::memcpy(buffers.features.data(), rest.data(), rest.size());
  record.features = buffers.features;
  record.words = buffers.words;
  return record;
}

namespace {

// Calls visit(name, field) for every option but memory, in the order of the file.
template <class Options, class Visit>
void for_each_option(Options& options, Visit&& visit) {
  visit("by", options.by);
  visit("measure", options.measure);
  visit("similarity", options.similarity);
  visit("distance", options.distance);
  visit("bits", options.bits);
  visit("shingles", options.shingles.unit);
  visit("width", options.shingles.width);
  visit("bag", options.shingles.bag);
  visit("normalize", options.shingles.normalize);
  visit("numbers", options.shingles.numbers);
  visit("assign", options.assign);
  visit("leader", options.leader);
  visit("forget_after_ms", options.forget_after_ms);
  visit("forget_after_pages", options.forget_after_pages);
  visit("half_life_ms", options.half_life_ms);
  visit("most_leaders", options.most_leaders);
  visit("pairs", options.pairs);
  visit("themes", *options.themes);
  visit("recall", options.recall);
  visit("lanes", options.lanes);
  visit("max_tables", options.max_tables);
  visit("seed", options.seed);
}

template <class Head, class Visit>
void for_each_count(Head& head, Visit&& visit) {
  visit(head.counts.pages);
  visit(head.counts.duplicates);
  visit(head.counts.updates);
  visit(head.counts.deletions);
  visit(head.counts.unknown);
  visit(head.counts.late);
  visit(head.counts.ahead);
  visit(head.counts.empty);
  visit(head.counts.forgotten_age);
  visit(head.counts.forgotten_room);
  visit(head.counts.forgotten_pages);
  visit(head.clock);
  visit(head.next_number);
  visit(head.progress.snapshot);
  visit(head.progress.answers);
  visit(head.progress.told);
}

// Numbers and enums as eight bytes: the bits of a double, else the value.
template <class Value>
uint64_t bits_of(Value value) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

// False when the value does not fit its type.
template <class Value>
bool read_bits(uint64_t bits, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = std::bit_cast<double>(bits);
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(bits);
    if (name(value).empty()) return false;
  } else {
    value = static_cast<Value>(bits);
  }
  return bits_of(value) == bits;
}

}  // namespace

std::string encode(const SnapshotHead& head) {
  std::string bytes;
  for_each_option(head.options,
                  [&](const char*, auto value) { append_fixed(bytes, bits_of(value)); });
  for_each_count(head, [&](auto value) { append_fixed(bytes, bits_of(value)); });
  append_string(bytes, head.options.dictionary);
  append_string(bytes, head.progress.dictionary);
  append_string(bytes, head.progress.last);
  append_varint(bytes, head.progress.sources.size());
  for (const auto& [name, source] : head.progress.sources) {
    append_string(bytes, name);
    append_varint(bytes, source.next);
    append_varint(bytes, source.size);
    append_fixed(bytes, source.hash);
  }
  return bytes;
}

Result<SnapshotHead> decode_head(std::string_view bytes) {
  Cursor cursor(bytes);
  SnapshotHead head;
  head.options.themes = 0;
  bool fits = true;
  for_each_option(head.options, [&](const char*, auto& value) {
    fits &= read_bits(cursor.fixed<uint64_t>(), value);
  });
  for_each_count(head, [&](auto& value) { fits &= read_bits(cursor.fixed<uint64_t>(), value); });
  head.options.dictionary = cursor.take(cursor.varint());
  head.progress.dictionary = cursor.take(cursor.varint());
  head.progress.last = cursor.take(cursor.varint());
  for (uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    const std::string_view name = cursor.take(cursor.varint());
    StreamSource source;
    source.next = cursor.varint();
    source.size = cursor.varint();
    source.hash = cursor.fixed<uint64_t>();
    head.progress.sources.emplace(name, source);
  }
  const bool is_sound = fits && !cursor.failed() && cursor.at_end() && validate(head.options) &&
                        head.progress.told <= head.progress.answers;
  if (!is_sound) return Error{ErrorKind::corrupt, "options and counts that contradict each other"};
  return head;
}

std::string_view first_difference(const StreamOptions& a, const StreamOptions& b) {
  std::vector<uint64_t> values;
  for_each_option(a, [&](const char*, auto value) { values.push_back(bits_of(value)); });
  std::string_view different;
  size_t at = 0;
  for_each_option(b, [&](const char* name, auto value) {
    if (bits_of(value) != values[at++] && different.empty()) different = name;
  });
  return different;
}

}  // namespace kith::jobs
