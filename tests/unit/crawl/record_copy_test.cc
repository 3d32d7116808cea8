// Copies without some records: what stays is the same bytes, what goes is gone.
#include "crawl/copy/record_copy.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "crawl_testing.h"
#include "record_copying.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::FullDisk;
using kith::test::read_file;
using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

// Copies the bytes as a file of that name, without the records.
std::string copy_of(std::string_view name, std::string_view bytes,
                    const std::vector<uint64_t>& removed, CopyReport* report = nullptr) {
  const TempDir dir;
  write_file(dir / name, bytes);
  const CopyReport made = copy({.inputs = {dir / name}}, dir / "out", {{0, removed}});
  EXPECT_EQ(made.bytes_in, bytes.size());
  if (report != nullptr) *report = made;
  std::string out = read_file(dir / "out");
  EXPECT_EQ(made.bytes_out, out.size());
  return out;
}

std::string message_of(const Result<CopyReport>& report) {
  return report ? "no error" : report.error().message;
}

// Every page and redirect with the number of its record; none of a file that is refused because
// damage has left no record in it.
std::vector<std::pair<uint64_t, OwnedPage>> numbered_pages(const std::string& path) {
  std::vector<std::pair<uint64_t, OwnedPage>> pages;
  Result<PageReader> reader = PageReader::open({.inputs = {path}}, {});
  if (!reader) {
    EXPECT_EQ(reader.error().kind, ErrorKind::corrupt) << reader.error().message;
    return {};
  }
  for (PageBatch batch; reader->next(batch).value();) {
    for (const Page& page : batch.pages) {
      pages.push_back({page.record,
                       {std::string(page.url), page.kind, std::string(page.charset),
                        std::string(page.title), std::string(page.body)}});
    }
  }
  return pages;
}

std::string concatenate(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

// Records of all sorts, some with blank lines behind them.
std::vector<std::string> random_warc(Rng& rng, size_t count) {
  std::vector<std::string> records = {
      warc_record("warcinfo", "", "application/warc-fields", "software: x")};
  while (records.size() < count) {
    const std::string url = fmt::format("http://a.example/{}", records.size());
    std::string text = "<p>";
    for (uint64_t words = rng.below(300); words > 0; --words) {
      text += fmt::format("word{} ", rng.below(1000));
    }
    std::string record = rng.below(4) == 0 ? warc_record("request", url, "application/http", text)
                                           : warc_page(url, text);
    if (rng.below(5) == 0) record += "\r\n\n";
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<std::string> random_jsonl(Rng& rng, size_t count) {
  std::vector<std::string> lines;
  while (lines.size() < count) {
    lines.push_back(rng.below(6) == 0
                        ? "\n"
                        : fmt::format("{{\"url\": \"http://a/{}\", \"text\": \"{}\"}}\n",
                                      lines.size(), std::string(rng.below(500), 'x')));
  }
  if (lines.back().size() > 1 && rng.below(2) == 0) lines.back().pop_back();
  return lines;
}

std::vector<uint64_t> random_removal(Rng& rng, size_t records) {
  std::vector<uint64_t> removed;
  const uint64_t share = 1 + rng.below(10);
  for (uint64_t record = 0; record < records; ++record) {
    if (rng.below(10) < share) removed.push_back(record);
  }
  return removed;
}

// Where members end: behind every record, at the end only, or anywhere.
enum class Packing { record, file, anywhere };

std::vector<std::string> cut_members(Rng& rng, const std::vector<std::string>& records,
                                     Packing packing) {
  if (packing == Packing::record) return records;
  std::string rest = concatenate(records);
  if (packing == Packing::file) return {rest};
  std::vector<std::string> members;
  while (!rest.empty()) {
    const size_t size = 1 + rng.below(std::min<size_t>(rest.size(), 3000));
    members.push_back(rest.substr(0, size));
    rest.erase(0, size);
  }
  return members;
}

struct KeptMember {
  std::string bytes;
  bool is_whole = true;
};

// The definition: of every member its bytes of records that stay.
std::vector<KeptMember> kept_members(const std::vector<std::string>& records,
                                     const std::vector<std::string>& members,
                                     const std::vector<uint64_t>& removed) {
  std::string stays;  // a byte of the file: does it stay?
  for (uint64_t i = 0; i < records.size(); ++i) {
    stays.append(records[i].size(), std::ranges::binary_search(removed, i) ? '0' : '1');
  }
  std::vector<KeptMember> kept;
  size_t at = 0;
  for (const std::string& member : members) {
    KeptMember part;
    for (const char byte : member) {
      if (stays[at++] == '1') part.bytes += byte;
    }
    part.is_whole = part.bytes == member;
    kept.push_back(std::move(part));
  }
  return kept;
}

TEST(RecordCopy, KeepsTheBytesOfTheRecordsThatStay) {
  Rng rng(1);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const bool is_warc = rng.below(2) == 0;
    const std::vector<std::string> records =
        is_warc ? random_warc(rng, 1 + rng.below(40)) : random_jsonl(rng, 1 + rng.below(40));
    const std::vector<uint64_t> removed = random_removal(rng, records.size());
    const auto packing = static_cast<Packing>(rng.below(3));
    const std::vector<std::string> members = cut_members(rng, records, packing);
    std::string plain, packed_gzip, packed_zstd, expected_gzip, expected;
    for (const std::string& member : members) {
      plain += member;
      packed_gzip += gzip(member);
      packed_zstd += zstd(member);
    }
    size_t split = 0;
    for (const KeptMember& member : kept_members(records, members, removed)) {
      expected += member.bytes;
      if (!member.bytes.empty()) expected_gzip += gzip(member.bytes);
      split += !member.is_whole && !member.bytes.empty() ? 1 : 0;
    }
    if (expected.empty()) expected_gzip = gzip("");
    const std::string name = is_warc ? "a.warc" : "a.jsonl";
    CopyReport report;
    EXPECT_EQ(copy_of(name, plain, removed, &report), expected);
    EXPECT_EQ(report.removed, removed.size());
    EXPECT_EQ(report.packed_again, 0u);
    EXPECT_EQ(copy_of(name + ".gz", packed_gzip, removed, &report), expected_gzip);
    EXPECT_EQ(report.removed, removed.size());
    EXPECT_EQ(report.packed_again, split);
    const std::string frames = copy_of(name + ".zst", packed_zstd, removed, &report);
    EXPECT_EQ(unpack(frames, Codec::zstd), expected);
    EXPECT_EQ(report.packed_again, split);
    if (split == 0) {
      EXPECT_EQ(frames == packed_zstd, removed.empty());
    }
  }
}

bool is_clipped(const std::string& file) {
  return file.ends_with("clipped.warc.gz");
}

TEST(RecordCopy, RealFilesLoseThePagesThatAreRemovedAndNoOther) {
  std::ifstream table(warc_data("expected.tsv"));
  std::string line;
  std::getline(table, line);
  Rng rng(2);
  int files = 0;
  while (std::getline(table, line)) {
    const std::string file = line.substr(0, line.find('\t'));
    SCOPED_TRACE(file);
    const auto pages = numbered_pages(warc_data(file));
    std::set<uint64_t> removed;
    std::vector<OwnedPage> kept;
    for (const auto& [record, page] : pages) {
      if (rng.below(2) == 0) {
        removed.insert(record);
      } else {
        kept.push_back(page);
      }
    }
    const TempDir dir;
    const std::string out = dir / std::filesystem::path(file).filename().string();
    const CopyReport report =
        copy({.inputs = {warc_data(file)}}, out, {{0, {removed.begin(), removed.end()}}});
    if (is_clipped(file)) {  // its only page lies in a broken member
      EXPECT_EQ(report.removed + report.kept_by_damage, removed.size());
      EXPECT_EQ(read_file(out), read_file(warc_data(file)));
      ++files;
      continue;
    }
    EXPECT_EQ(report.removed, removed.size());
    EXPECT_EQ(report.kept_by_damage, 0u);
    std::vector<OwnedPage> found;
    for (auto& [record, page] : numbered_pages(out)) found.push_back(page);
    EXPECT_EQ(found, kept);
    EXPECT_EQ(read_file_as_crawl(out).skipped(Skip::damaged),
              read_file_as_crawl(warc_data(file)).skipped(Skip::damaged));
    ++files;
  }
  EXPECT_EQ(files, 24);
}

TEST(RecordCopy, RemovingNothingGivesTheSameBytes) {
  const std::string bytes = gzip(warc_page("http://a/1", "<p>1")) + "garbage" + gzip("") +
                            gzip(warc_page("http://a/2", "<p>2")) + std::string(100, '\0');
  EXPECT_EQ(copy_of("a.warc.gz", bytes, {}), bytes);
}

TEST(RecordCopy, MembersBetweenRecordsStay) {
  const std::string a = warc_page("http://a/1", "<p>1");
  const std::string b = warc_page("http://a/2", "<p>2");
  EXPECT_EQ(copy_of("a.warc.gz", gzip(a) + gzip("") + gzip(b) + std::string(100, '\0'), {1}),
            gzip(a) + gzip("") + std::string(100, '\0'));
  EXPECT_EQ(copy_of("a.warc.zst", zstd(a) + zstd_skippable(3, "note") + zstd(b), {0}),
            zstd_skippable(3, "note") + zstd(b));
}

TEST(RecordCopy, FramesWithADictionaryArePackedWithIt) {
  std::vector<std::string> records;
  for (int i = 0; i < 300; ++i) {
    std::string words;
    for (int k = 0; k < 40; ++k) words += fmt::format("word{} ", (i * k + k * k) % 97);
    records.push_back(warc_page(fmt::format("http://a.example/{}", i), "<p>" + words));
  }
  const std::string dictionary = zstd_dictionary(records);
  std::string file = zstd_skippable(13, dictionary);
  for (size_t i = 0; i < records.size(); i += 2) {
    file += zstd(records[i] + records[i + 1], dictionary);
  }
  CopyReport report;
  const std::string out = copy_of("a.warc.zst", file, {0, 1, 2, 299}, &report);
  EXPECT_EQ(report.packed_again, 2u);
  EXPECT_TRUE(out.starts_with(zstd_skippable(13, dictionary)));
  EXPECT_EQ(unpack(out, Codec::zstd), concatenate({records.begin() + 3, records.begin() + 299}));
}

TEST(RecordCopy, ArcFilesLoseRecordsToo) {
  const std::string http = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
  const std::string head = arc_record("filedesc://a.arc", "1 0 x\n");
  const std::string a = arc_record("http://a.example/1", http);
  const std::string b = arc_record("http://a.example/2", http);
  EXPECT_EQ(copy_of("a.arc", head + a + b, {1}), head + b);
  EXPECT_EQ(copy_of("a.arc.gz", gzip(head) + gzip(a) + gzip(b), {2}), gzip(head) + gzip(a));
}

TEST(RecordCopy, AByteOrderMarkStays) {
  EXPECT_EQ(copy_of("a.jsonl", "\xef\xbb\xbf{\"a\": 1}\n{\"b\": 1}\n", {0}),
            "\xef\xbb\xbf{\"b\": 1}\n");
}

TEST(RecordCopy, RecordsLongerThanAnyBufferGo) {
  const std::string a = warc_page("http://a/1", std::string(20u << 20, 'x'));
  const std::string b = warc_page("http://a/2", "<p>2");
  EXPECT_EQ(copy_of("a.warc", a + b, {0}), b);
  EXPECT_EQ(copy_of("a.warc.gz", gzip(a + b), {0}), gzip(b));
  EXPECT_EQ(copy_of("a.warc.gz", gzip(b + a), {0}), gzip(a));
}

TEST(RecordCopy, DamageStaysAsItIs) {
  const std::string a = gzip(warc_page("http://a/1", "<p>1"));
  const std::string c = gzip(warc_page("http://a/3", "<p>3"));
  std::string broken = gzip(warc_page("http://a/2", std::string(5000, 'x')));
  broken[broken.size() - 6] ^= 1;  // the checksum
  CopyReport report;
  EXPECT_EQ(copy_of("a.warc.gz", a + "noise" + broken + "more" + c, {0, 2}, &report),
            "noise" + broken + "more");
  EXPECT_EQ(report.removed, 2u);
  const std::string plain = warc_page("http://a/4", "<p>4");
  EXPECT_EQ(copy_of("a.warc", "lost\n" + plain + "noise\n" + plain + "WARC/1.0 cut", {0}),
            "lost\nnoise\n" + plain + "WARC/1.0 cut");
}

TEST(RecordCopy, ABrokenMemberKeepsItsRecords) {
  const std::string a = warc_page("http://a/1", "<p>1");
  const std::string b = warc_page("http://a/2", std::string(300000, 'x'));
  const std::string c = warc_page("http://a/3", "<p>3");
  // The second record begins in a sound member and ends in the broken one.
  std::string broken = gzip(b.substr(1000) + c);
  broken.resize(broken.size() - 8);
  const std::string file = gzip(a + b.substr(0, 1000)) + broken;
  CopyReport report;
  EXPECT_EQ(copy_of("a.warc.gz", file, {0, 1}, &report), gzip(b.substr(0, 1000)) + broken);
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(report.kept_by_damage, 1u);
}

// Whatever is broken: the pages that stay can be read, and of the others those in broken members.
TEST(RecordCopy, DamageAnywhereCostsNoPage) {
  Rng rng(3);
  uint64_t kept_by_damage = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const std::vector<std::string> records = random_warc(rng, 2 + rng.below(30));
    const uint64_t container = rng.below(3);
    std::string file;
    for (const std::string& member :
         cut_members(rng, records, static_cast<Packing>(rng.below(3)))) {
      file += container == 0 ? member : container == 1 ? gzip(member) : zstd(member);
    }
    for (uint64_t faults = 1 + rng.below(3); faults > 0; --faults) {
      // Not at the very beginning: a file of no format is refused.
      const uint64_t place = 40 + rng.below(file.size() - 40);
      switch (rng.below(3)) {
        case 0:
          file[place] ^= static_cast<char>(1 + rng.below(255));
          break;
        case 1:
          file.insert(place, std::string(rng.below(50), '?'));
          break;
        default:
          file.erase(place, rng.below(200));
      }
    }
    const TempDir dir;
    const std::string in = dir / "a.warc";
    write_file(in, file);
    std::set<uint64_t> removed;
    std::vector<OwnedPage> kept, all;
    if (!PageReader::open({.inputs = {in}}, {})) continue;
    for (auto& [record, page] : numbered_pages(in)) {
      all.push_back(page);
      if (rng.below(2) == 0) {
        removed.insert(record);
      } else {
        kept.push_back(page);
      }
    }
    const CopyReport report =
        copy({.inputs = {in}}, dir / "b.warc", {{0, {removed.begin(), removed.end()}}});
    EXPECT_EQ(report.removed + report.kept_by_damage, removed.size());
    std::vector<OwnedPage> found;
    for (auto& [record, page] : numbered_pages(dir / "b.warc")) found.push_back(page);
    for (const OwnedPage& page : kept) EXPECT_THAT(found, testing::Contains(page));
    // A page that damage before it has hidden may be found where that is removed.
    const auto was_seen = [&](const OwnedPage& page) {
      return std::ranges::find(all, page) != all.end();
    };
    // One that stays since it is damaged may end elsewhere where what is behind it goes.
    const auto seen = static_cast<size_t>(std::ranges::count_if(found, was_seen));
    EXPECT_GE(seen, kept.size());
    EXPECT_LE(seen, kept.size() + report.kept_by_damage);
    kept_by_damage += report.kept_by_damage;
  }
  EXPECT_GT(kept_by_damage, 0u);
}

TEST(RecordCopy, ARecordThatIsNotThereIsAnError) {
  const TempDir dir;
  write_file(dir / "a.warc", warc_page("http://a/1", "<p>1"));
  const auto report = try_copy({.inputs = {dir / "a.warc"}}, dir / "out", {{0, {1}}});
  EXPECT_THAT(message_of(report), HasSubstr("changed"));
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
  EXPECT_FALSE(std::filesystem::exists(dir / "out.tmp"));
}

TEST(RecordCopy, AFullDiskIsOneErrorAndLeavesNothing) {
  const TempDir dir;
  const std::string page = warc_page("http://a/1", std::string(100000, 'x'));
  write_file(dir / "a.warc", page + page);
  write_file(dir / "b.warc", page + page);
  for (const uint64_t capacity : {0u, 50000u, 250000u}) {
    FullDisk disk(capacity);
    const auto report =
        try_copy({.inputs = {dir / "a.warc", dir / "b.warc"}}, dir / "out", {{0, {1}}}, 2, disk);
    ASSERT_FALSE(report.is_ok());
    EXPECT_EQ(report.error().kind, ErrorKind::io);
    EXPECT_TRUE(std::filesystem::is_empty(dir / "out"));
  }
  copy({.inputs = {dir / "a.warc", dir / "b.warc"}}, dir / "out", {{0, {1}}});
  EXPECT_EQ(read_file(dir / "out/a.warc"), page);
}

}  // namespace
}  // namespace kith::crawl::test
