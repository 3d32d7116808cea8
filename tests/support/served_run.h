// Small runs and an empty stream for a server to answer about.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kith/kith.h"

#include "server/site.h"
#include "support/temp_dir.h"

namespace kith::test {

// Lines of JSON: two topics on two hosts, eight pages each, with markup in their titles.
inline std::string served_pages() {
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

// A site of the run "run" of kith cluster, "copies" of kith dedup, and a stream in a folder that
// goes with the object.
class ServedRun {
 public:
  // What has failed, if anything.
  Status make(server::SiteOptions options = {}) {
    write_file(folder_ / "pages.jsonl", served_pages());
    ClusterOptions job;
    job.inputs = {folder_ / "pages.jsonl"};
    job.output = folder_ / "run";
    job.bags = BagKind::content;
    job.min_df = 1;
    job.max_df = 1;
    job.threads = 1;
    KITH_TRY(cluster_crawl(job).status());
    DedupOptions copies;
    copies.inputs = job.inputs;
    copies.output = folder_ / "copies";
    copies.width = 2;
    copies.similarity = 0.5;
    copies.threads = 1;
    KITH_TRY(dedup(copies).status());
    KITH_TRY(Stream::open(folder_ / "stream").status());
    options.directories = {folder_ / "run", folder_ / "copies"};
    options.stream = folder_ / "stream";
    KITH_ASSIGN(site_, server::Site::open(options));
    return Status::ok();
  }

  server::Site& site() { return *site_; }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  TempDir folder_{Medium::memory};
  std::unique_ptr<server::Site> site_;
};

}  // namespace kith::test
