// synthetic_crawl: a crawl of any size as uncompressed WARC on standard output, shard by shard, so
// that it never needs to lie on a disk. The model is docs/algorithms/synthetic.md.
//
//   synthetic_crawl --pages 5000000 | kith cluster - -o run --memory 2G
//   synthetic_crawl --pages 5000000 --shard 3/50 > part-03.warc
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "synthetic/crawl_stream.h"

namespace kith::synthetic {
namespace {

constexpr size_t block = size_t{1} << 20;

struct Flags {
  CrawlOptions crawl;
  std::string shard = "1/1";
  std::string counts;
};

struct Shard {
  uint64_t number = 1;
  uint64_t of = 1;
};

void add_flags(CLI::App& app, Flags& flags) {
  CrawlOptions& crawl = flags.crawl;
  app.add_option("--pages", crawl.pages, "Pages, up to 100 million")->capture_default_str();
  app.add_option("--seed", crawl.seed, "Another seed, another crawl")->capture_default_str();
  app.add_option("--shard", flags.shard,
                 "I/N: the I-th of N shards, which one after the other are the crawl")
      ->capture_default_str();
  app.add_option("--counts", flags.counts, "Also write what kith will find in the shard (JSON)");
  app.add_option("--words", crawl.words, "Words of a text in the mean")->capture_default_str();
  app.add_option("--unfetched", crawl.unfetched,
                 "Pages that are linked but not in the crawl, for one that is")
      ->capture_default_str();
  app.add_option("--duplicates", crawl.duplicate_share,
                 "Share of pages with the bytes of another one")
      ->capture_default_str();
  app.add_option("--near-duplicates", crawl.near_share,
                 "Share of pages with the text of another one, some words changed")
      ->capture_default_str();
  app.add_option("--families", crawl.family_share,
                 "Share of sites all pages of which have one text, some words changed")
      ->capture_default_str();
  app.add_option("--redirects", crawl.redirect_share,
                 "Share of pages with an old URL that redirects to them")
      ->capture_default_str();
}

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/') {
    const auto of = std::from_chars(number.ptr + 1, end, shard.of);
    if (of.ec == std::errc() && of.ptr == end && shard.number >= 1 && shard.number <= shard.of)
      return shard;
  }
  return Error{ErrorKind::usage,
               fmt::format("--shard {}: must be I/N with 1 <= I <= N, e.g. 3/50", text)};
}

Status write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Error{ErrorKind::io,
                   fmt::format("cannot write standard output: {}", std::strerror(errno))};
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::ok();
}

Status write_counts(const std::string& path, const CrawlCounts& counts) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    return Error{ErrorKind::io, fmt::format("cannot create {}: {}", path, std::strerror(errno))};
  const std::string json = fmt::format(
      "{{\"crawl\": {{\"records\": {}, \"pages\": {}, \"redirects\": {}, \"page_bytes\": {}}}, "
      "\"text\": {{\"links\": {}}}}}\n",
      counts.records, counts.pages, counts.redirects, counts.page_bytes, counts.links);
  const bool is_written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
  if (std::fclose(file) != 0 || !is_written)
    return Error{ErrorKind::io, fmt::format("cannot write {}", path)};
  return Status::ok();
}

Status write_crawl(const Flags& flags) {
  KITH_ASSIGN(const Shard shard, parse_shard(flags.shard));
  KITH_TRY(validate(flags.crawl));
#ifdef F_SETPIPE_SZ
  // Fewer turns between this program and the one that reads; where it is refused, or no pipe,
  // nothing is lost.
  (void)::fcntl(STDOUT_FILENO, F_SETPIPE_SZ, static_cast<int>(block));
#endif
  CrawlStream stream(flags.crawl, shard.number, shard.of);
  std::string bytes;
  bytes.reserve(2 * block);
  while (stream.next(bytes)) {
    if (bytes.size() < block) continue;
    KITH_TRY(write_all(bytes));
    bytes.clear();
  }
  KITH_TRY(write_all(bytes));
  return flags.counts.empty() ? Status::ok() : write_counts(flags.counts, stream.counts());
}

int run(int argc, char** argv) {
  CLI::App app(
      "Writes a made web crawl as WARC to standard output, e.g. for 'kith cluster - -o RUN'.");
  app.name("synthetic_crawl");
  Flags flags;
  add_flags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Status status = write_crawl(flags);
  if (status) return 0;
  fmt::print(stderr, "synthetic_crawl: {}\n", status.error().message);
  return status.error().kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace
}  // namespace kith::synthetic

int main(int argc, char** argv) {
  return kith::synthetic::run(argc, argv);
}
