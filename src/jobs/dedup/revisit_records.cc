#include "jobs/dedup/revisit_records.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/dates.h"
#include "base/hash.h"
#include "sketch/set_sketches.h"

namespace kith::jobs {
namespace {

constexpr std::string_view profile =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

// A field; none without a value, nor with one that would end the field.
std::string field(std::string_view name, std::string_view value) {
  if (value.empty() || value.find_first_of("\r\n") != std::string_view::npos) return {};
  return fmt::format("{}: {}\r\n", name, value);
}

// A UUID of version 8 (RFC 9562): the same for the same document.
std::string record_id(const DocumentTable& documents, uint32_t id) {
  const Document& document = documents[id];
  const Key128 hash = hash128(fmt::format("{}\n{}\n{}\n{}", documents.file(document.file),
                                          document.record, document.time, documents.name(id)));
  return fmt::format("<urn:uuid:{:08x}-{:04x}-8{:03x}-{:x}{:03x}-{:012x}>", hash.high >> 32,
                     hash.high >> 16 & 0xffff, hash.high & 0xfff, 8 + (hash.low >> 62),
                     hash.low >> 48 & 0xfff, hash.low & 0xffff'ffff'ffff);
}

std::string record(const DocumentTable& documents, uint32_t id, std::string_view type,
                   std::string_view fields, std::string_view block) {
  return fmt::format("WARC/1.1\r\nWARC-Type: {}\r\n{}{}{}{}Content-Length: {}\r\n\r\n{}\r\n\r\n",
                     type, field("WARC-Record-ID", record_id(documents, id)),
                     field("WARC-Date", date_text(documents[id].time)),
                     field("WARC-Target-URI", documents.name(id)), fields, block.size(), block);
}

std::string metadata(const DocumentTable& documents, uint32_t id, const std::string& block) {
  return record(documents, id, "metadata", field("Content-Type", "application/warc-fields"), block);
}

std::string like(std::string_view name, std::string_view date, const sketch::SetOverlap& both) {
  return field("near-duplicate-of", name) + field("near-duplicate-of-date", date) +
         field("resemblance", fmt::format("{:.6f}", both.resemblance()));
}

// What an earlier run has like it.
std::string earlier(const DocumentTable& documents, const Against& against, uint32_t id) {
  const auto row = std::ranges::lower_bound(against.rows(), id, {}, &EarlierMatch::document);
  const auto number = static_cast<size_t>(row - against.rows().begin());
  return metadata(
      documents, id,
      like(against.name(number), "", {documents.sets().size_of(id), row->size, row->common}));
}

}  // namespace

std::string revisit_record(const DocumentTable& documents, const Against& against,
                           const Groups& groups, uint32_t removed) {
  if (documents[removed].time == no_time) return {};
  if (against.removed(removed)) return earlier(documents, against, removed);
  const uint32_t kept = groups.kept()[removed];
  const std::string_view digest = documents.digest(removed);
  const std::string date = date_text(documents[kept].time);
  if (!digest.empty() && digest == documents.digest(kept)) {
    return record(documents, removed, "revisit",
                  field("WARC-Profile", profile) +
                      field("WARC-Refers-To-Target-URI", documents.name(kept)) +
                      field("WARC-Refers-To-Date", date) + field("WARC-Payload-Digest", digest),
                  "");
  }
  return metadata(documents, removed,
                  like(documents.name(kept), date,
                       {documents.sets().size_of(removed), documents.sets().size_of(kept),
                        groups.common()[removed]}));
}

}  // namespace kith::jobs
