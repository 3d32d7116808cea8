// The files of SimHash, of any bytes, opened and then used. The first byte chooses the file and how
// it is made, as in kith_file.cc: of the bytes as they are, or of the bytes as the contents of its
// sections, each a length (u16, 0xffff: the section is absent) and its bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "pairs/fingerprint_groups.h"
#include "pairs/simhash_join.h"
#include "pairs/simhash_tables.h"
#include "sketch/simhash.h"
#include "support/memory_file_system.h"

namespace {

constexpr const char* path = "file.kith";
constexpr uint8_t raw_bytes = 0x80;
constexpr size_t most_used = 1000;
constexpr uint32_t documents = 1000;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

// Damage is an error of the right kind that names the file.
template <class T>
bool sound(const kith::Result<T>& result) {
  if (result) return true;
  require(result.error().kind == kith::ErrorKind::corrupt);
  require(result.error().message.starts_with(path));
  return false;
}

kith::Status use_groups(kith::storage::FileSystem& fs) {
  const auto groups = kith::pairs::FingerprintGroups::open(fs, path, documents);
  if (!sound(groups)) return kith::Status::ok();
  for (size_t place = 0; place < std::min(groups->size(), most_used); ++place) {
    require(!groups->documents(place).empty());
    for (const uint32_t document : groups->documents(place)) require(document < documents);
  }
  static kith::ThreadPool one_thread(1);
  const auto fingerprints = groups->fingerprints();
  const auto sink = [&](std::span<const kith::pairs::FingerprintPair> batch) {
    for (const kith::pairs::FingerprintPair& pair : batch) {
      require(pair.a < pair.b && pair.b < fingerprints.size());
      require(pair.distance == kith::hamming_distance(fingerprints[pair.a], fingerprints[pair.b]));
    }
    return kith::Status::ok();
  };
  require(kith::pairs::simhash_join(fingerprints, {}, one_thread, sink).is_ok());
  return groups->verify();
}

kith::Status use_tables(kith::storage::FileSystem& fs) {
  const auto tables = kith::pairs::SimhashTables::open(fs, path);
  if (!sound(tables)) return kith::Status::ok();
  const uint32_t distance = tables->design().distance;
  for (uint64_t query = 0; query < 64; ++query) {
    const auto found = tables->find((uint64_t{1} << query) - 1, distance);
    if (!sound(found)) continue;
    for (const kith::pairs::FingerprintMatch& match : *found) {
      require(match.place < tables->size() && match.distance <= distance);
    }
  }
  return tables->verify();
}

struct File {
  kith::storage::FileKind kind;
  std::vector<std::string_view> sections;
  kith::Status (*use)(kith::storage::FileSystem&);
};

const std::vector<File>& files() {
  static const std::vector<File> all{
      {kith::pairs::fingerprint_groups_kind,
       {"documents_at", "fingerprints", "documents"},
       use_groups},
      {kith::pairs::simhash_tables_kind,
       {"design", "cells_0", "table_0", "cells_1", "table_1", "cells_2", "table_2", "cells_3",
        "table_3"},
       use_tables},
  };
  return all;
}

void write_sections(kith::storage::FileSystem& fs, const File& file, std::string_view input) {
  constexpr uint16_t absent = 0xffff;
  auto writer = kith::storage::SectionWriter::create(fs, path, file.kind);
  kith::Cursor cursor(input);
  for (const std::string_view name : file.sections) {
    const auto size = cursor.fixed<uint16_t>();
    if (size == absent) continue;
    require(writer->begin(name).is_ok());
    require(writer->append(cursor.take(std::min<size_t>(size, cursor.remaining()))).is_ok());
  }
  require(writer->finish().is_ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const File& file = files()[(data[0] & ~raw_bytes) % files().size()];
  kith::test::MemoryFileSystem fs;
  if ((data[0] & raw_bytes) != 0) {
    fs.put(path, input);
    static_cast<void>(file.use(fs));  // the checksums may be wrong
  } else {
    write_sections(fs, file, input);
    require(file.use(fs).is_ok());
  }
  return 0;
}
