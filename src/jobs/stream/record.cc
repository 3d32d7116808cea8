#include "jobs/stream/record.h"

#include <cstring>

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

}  // namespace kith::jobs
