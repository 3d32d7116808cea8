#include "stream/record.h"

#include <cstring>

#include "base/bytes.h"

namespace kith::stream {

void encode(const Record& record, std::string& bytes) {
  bytes.clear();
  append_fixed(bytes, static_cast<uint8_t>(record.kind));
  append_fixed(bytes, record.time);
  append_varint(bytes, record.next);
  append_varint(bytes, record.source.size());
  bytes += record.source;
  append_varint(bytes, record.name.size());
  bytes += record.name;
  bytes += as_text(std::as_bytes(record.features));
}

Result<Record> decode(std::string_view bytes, std::vector<uint64_t>& features) {
  Cursor cursor(bytes);
  Record record;
  const auto kind = cursor.fixed<uint8_t>();
  record.kind = static_cast<RecordKind>(kind);
  record.time = cursor.fixed<int64_t>();
  record.next = cursor.varint();
  record.source = cursor.take(cursor.varint());
  record.name = cursor.take(cursor.varint());
  const std::string_view rest = cursor.take(cursor.remaining());
  const bool is_known = kind >= static_cast<uint8_t>(RecordKind::page) &&
                        kind <= static_cast<uint8_t>(RecordKind::told);
  if (cursor.failed() || !is_known || rest.size() % sizeof(uint64_t) != 0) {
    return Error{ErrorKind::corrupt, "a record of the log that no version of kith has written"};
  }
  features.resize(rest.size() / sizeof(uint64_t));
  if (!rest.empty()) std::memcpy(features.data(), rest.data(), rest.size());
  record.features = features;
  return record;
}

}  // namespace kith::stream
