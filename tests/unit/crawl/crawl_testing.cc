#include "crawl_testing.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include <bzlib.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zdict.h>
#include <zlib.h>
#include <zstd.h>

#include "support/data.h"

namespace kith::crawl::test {
namespace {

std::string deflated(std::string_view bytes, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string warc_data(const std::string& name) {
  return kith::test::test_data("warc/" + name);
}

std::string warc_record(std::string_view type, std::string_view url, std::string_view content_type,
                        std::string_view content) {
  std::string record = fmt::format("WARC/1.0\r\nWARC-Type: {}\r\n", type);
  if (!url.empty()) record += fmt::format("WARC-Target-URI: {}\r\n", url);
  if (!content_type.empty()) record += fmt::format("Content-Type: {}\r\n", content_type);
  record += fmt::format("Content-Length: {}\r\n\r\n{}\r\n\r\n", content.size(), content);
  return record;
}

std::string warc_response(std::string_view url, std::string_view fields, std::string_view body) {
  return warc_record("response", url, "application/http; msgtype=response",
                     fmt::format("HTTP/1.1 200 OK\r\n{}\r\n{}", fields, body));
}

std::string warc_page(std::string_view url, std::string_view html) {
  return warc_response(url, "Content-Type: text/html\r\n", html);
}

std::string wat_records(std::string_view url, std::string_view response) {
  const std::string request =
      R"({"Container":{},"Envelope":{"Payload-Metadata":{"HTTP-Request-Metadata":{}}}})";
  const std::string answer =
      fmt::format(R"({{"Container":{{"Offset":"1"}},"Envelope":{{"Payload-Metadata":)"
                  R"({{"Actual-Content-Type":"application/http; msgtype=response",)"
                  R"("HTTP-Response-Metadata":{}}},"Format":"WARC/1.0"}}}})",
                  response);
  return warc_record("metadata", url, "application/json", request) +
         warc_record("metadata", url, "application/json", answer);
}

std::string arc_record(std::string_view url, std::string_view content) {
  return fmt::format("{} 192.0.2.1 20200101000000 text/html {}\n{}\n", url, content.size(),
                     content);
}

std::string gzip(std::string_view bytes) {
  return deflated(bytes, 15 + 16);
}
std::string zlib(std::string_view bytes) {
  return deflated(bytes, 15);
}
std::string raw_deflate(std::string_view bytes) {
  return deflated(bytes, -15);
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

std::string bzip2(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                                     static_cast<unsigned>(bytes.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                    reinterpret_cast<uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

std::string lz4(std::string_view bytes) {
  std::string out(LZ4F_compressFrameBound(bytes.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), nullptr));
  return out;
}

std::string zstd_dictionary(const std::vector<std::string>& samples) {
  std::string all;
  std::vector<size_t> sizes;
  for (const std::string& sample : samples) {
    all += sample;
    sizes.push_back(sample.size());
  }
  std::string dictionary(16u << 10, '\0');
  const size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), all.data(),
                                            sizes.data(), static_cast<unsigned>(sizes.size()));
  EXPECT_FALSE(ZDICT_isError(size)) << ZDICT_getErrorName(size);
  dictionary.resize(ZDICT_isError(size) ? 0 : size);
  return dictionary;
}

std::string zstd(std::string_view bytes, std::string_view dictionary) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress_usingDict(context, out.data(), out.size(), bytes.data(), bytes.size(),
                                     dictionary.data(), dictionary.size(), 3));
  ZSTD_freeCCtx(context);
  return out;
}

std::string zstd_skippable(unsigned kind, std::string_view content) {
  std::string frame(1, static_cast<char>(0x50 + kind));
  frame += "\x2a\x4d\x18";
  for (unsigned shift = 0; shift < 32; shift += 8) {
    frame.push_back(static_cast<char>(content.size() >> shift));
  }
  return frame + std::string(content);
}

std::string brotli(std::string_view bytes) {
  const auto length = static_cast<unsigned>(bytes.size() - 1);
  const unsigned head = (length << 4) | (1u << 20);
  std::string out;
  for (unsigned shift = 0; shift < 24; shift += 8) out.push_back(static_cast<char>(head >> shift));
  out += bytes;
  out.push_back('\x03');  // the last meta-block, empty
  return out;
}

std::vector<std::string> Crawl::urls() const {
  std::vector<std::string> urls;
  for (const OwnedPage& page : pages) urls.push_back(page.url);
  return urls;
}

Crawl read_crawl(const CrawlOptions& options, int threads, Admit admit) {
  Crawl crawl;
  Result<PageReader> reader = PageReader::open(options, std::move(admit));
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return crawl;
  }
  std::mutex mutex;
  struct Batch {
    std::vector<OwnedPage> pages;
    std::vector<Redirect> redirects;
  };
  std::map<uint64_t, Batch> batches;
  std::map<uint64_t, std::thread::id> owners;
  const auto work = [&] {
    PageBatch batch;
    for (;;) {
      const Result<bool> more = reader->next(batch);
      const std::lock_guard lock(mutex);
      if (!more) ADD_FAILURE() << more.error().message;
      if (!more || !*more) return;
      // A batch in several parts goes to one worker.
      const auto owner = owners.emplace(batch.sequence, std::this_thread::get_id()).first;
      EXPECT_EQ(owner->second, std::this_thread::get_id())
          << "batch " << batch.sequence << " twice";
      EXPECT_LT(batch.decoded.size(), 100u << 20);
      Batch& owned = batches[batch.sequence];
      for (const Page& page : batch.pages) {
        if (page.kind == PageKind::redirect) {
          EXPECT_EQ(page.body, "");
          owned.redirects.push_back(
              {std::string(page.url), std::string(page.location), page.status});
          continue;
        }
        owned.pages.push_back({std::string(page.url), page.kind, std::string(page.charset),
                               std::string(page.title), std::string(page.body)});
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  uint64_t expected = 0;
  for (auto& [sequence, batch] : batches) {
    EXPECT_EQ(sequence, expected++);
    std::ranges::move(batch.pages, std::back_inserter(crawl.pages));
    std::ranges::move(batch.redirects, std::back_inserter(crawl.redirects));
  }
  crawl.report = reader->report();
  EXPECT_EQ(crawl.report.pages, crawl.pages.size());
  EXPECT_EQ(crawl.report.redirects + crawl.skipped(Skip::revisit), crawl.redirects.size());
  return crawl;
}

Crawl read_file_as_crawl(const std::string& path) {
  return read_crawl({.inputs = {path}});
}

}  // namespace kith::crawl::test
