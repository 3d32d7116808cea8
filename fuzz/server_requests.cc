// Requests of any bytes, through to the answers of a server with a run and a stream. The first line
// is the method and the target, the rest the body.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kith/kith.h"

#include "server/site.h"
#include "support/temp_dir.h"

namespace {

using namespace kith;
using server::Method;
using server::Request;
using server::Response;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Two topics on two hosts.
std::string pages() {
  std::string lines;
  for (const char* topic : {"guitar chord melody rhythm", "oven butter flour recipe"}) {
    const std::string host = std::string(topic).substr(0, 4);
    for (int number = 0; number < 8; ++number) {
      lines += R"({"url": "https://)" + host + ".example/" + std::to_string(number) +
               R"(", "title": ")" + host + R"( <b>", "text": ")" + topic + " word" +
               std::string(1, static_cast<char>('a' + number)) + R"( and more of it"})" + "\n";
    }
  }
  return lines;
}

// Made once, in a folder that goes with the process.
struct Served {
  Served() {
    test::write_file(folder / "pages.jsonl", pages());
    ClusterOptions options;
    options.inputs = {folder / "pages.jsonl"};
    options.output = folder / "run";
    options.bags = BagKind::content;
    options.min_df = 1;
    options.max_df = 1;
    options.threads = 1;
    require(cluster(options).is_ok());
    require(Stream::open(folder / "stream").is_ok());
    auto made = server::Site::open({.directories = {folder / "run"},
                                    .stream = folder / "stream",
                                    .token = {},
                                    .hosts = {},
                                    .note = {}});
    require(made.is_ok());
    site = std::move(*made);
  }

  test::TempDir folder{test::Medium::memory};
  std::unique_ptr<server::Site> site;
};

Method method_of(std::string_view word) {
  if (word == "GET") return Method::get;
  if (word == "HEAD") return Method::head;
  return word == "POST" ? Method::post : Method::other;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Served served;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const size_t blank = line.find(' ');
  Request request;
  request.method = method_of(line.substr(0, blank));
  if (blank != std::string_view::npos) request.target = line.substr(blank + 1);
  if (line.size() < bytes.size()) request.body = bytes.substr(line.size() + 1);
  const Response response = served.site->answer(request);
  require(response.status >= 200 && response.status < 500);
  if (response.type == "application/json") require(nlohmann::json::accept(response.body));
  return 0;
}
