// kith::route_pages: new pages beside a finished run.
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/classify.h"
#include "kith/topics.h"

#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/run_directory.h"
#include "jobs/page_bagger.h"
#include "run/guarded.h"
#include "run/index_files.h"
#include "run/pages.h"
#include "similar/exact/inverted_index.h"
#include "topics/topic_file.h"

namespace kith {
namespace {

// What pages are held against. Immutable, thread-safe.
class Landmarks {
 public:
  static Result<std::unique_ptr<Landmarks>> open(const std::string& directory);

  struct Place {
    topics::Route route;
    similar::Neighbour center = {similar::no_id, 0};  // the number of its cluster
  };
  // Nothing for an empty bag.
  std::optional<Place> find(sketch::Bag bag, similar::InvertedIndex::Scratch& scratch,
                            std::vector<topics::Coordinate>& buffer) const;

  const jobs::RunDictionary& dictionary() const { return *dictionary_; }
  Result<std::string> center_url(uint64_t cluster) const;
  // Of the run.
  const std::string& url_rules() const { return url_rules_; }

 private:
  Status open_files(const jobs::RunDirectory& run);
  Status index_centers();

  std::string url_rules_;
  bags::UrlTable urls_;
  bags::TermTable terms_;
  bags::BagTable bags_;
  run::Clusters clusters_;
  topics::TopicFile topics_;
  std::optional<topics::Router> router_;
  std::optional<jobs::RunDictionary> dictionary_;
  similar::InvertedIndex centers_;
};

Result<std::unique_ptr<Landmarks>> Landmarks::open(const std::string& directory) {
  // Says what is wrong with a run that has no topics.
  KITH_TRY(TopicTree::open(directory));
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, directory));
  if (run.report().options.bags == BagKind::anchor) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: its bags are of the words around links, which the pages to be "
                             "routed do not bring; make the run with bags = both or content",
                             directory)};
  }
  auto landmarks = std::make_unique<Landmarks>();
  KITH_TRY(landmarks->open_files(run));
  landmarks->url_rules_ = run.report().options.url_rules;
  landmarks->dictionary_.emplace(landmarks->terms_, run.report());
  landmarks->router_.emplace(landmarks->topics_);
  KITH_TRY(landmarks->index_centers());
  return landmarks;
}

Status Landmarks::open_files(const jobs::RunDirectory& run) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(urls_, bags::UrlTable::open(fs, run.file(run::urls_file)));
  KITH_ASSIGN(terms_, bags::TermTable::open(fs, run.file(run::terms_file)));
  KITH_ASSIGN(bags_, bags::BagTable::open(fs, run.file(run::bags_file)));
  KITH_ASSIGN(clusters_, run::Clusters::open(fs, run.file(run::clusters_file)));
  KITH_ASSIGN(topics_, topics::TopicFile::open(fs, run.file(run::topics_file)));
  KITH_TRY(terms_.verify());
  KITH_TRY(bags_.verify());
  KITH_TRY(clusters_.verify());
  KITH_TRY(topics_.check_directions());
  if (clusters_.urls() != urls_.size() || bags_.bags().size() != urls_.size()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: its files come from different runs; remove the folder and run "
                             "the 'kith cluster' command again",
                             run.path())};
  }
  return Status::ok();
}

Status Landmarks::index_centers() {
  for (uint64_t cluster = 0; cluster < clusters_.size(); ++cluster) {
    const uint32_t center = clusters_.members(cluster).front();
    centers_.insert(static_cast<uint32_t>(cluster), bags_.bags()[center]);
  }
  return Status::ok();
}

std::optional<Landmarks::Place> Landmarks::find(sketch::Bag bag,
                                                similar::InvertedIndex::Scratch& scratch,
                                                std::vector<topics::Coordinate>& buffer) const {
  if (bag.empty()) return std::nullopt;
  Place place;
  buffer.resize(bag.size());
  place.route = router_->route(topics::unit_vector(bag, buffer));
  similar::Answer answer;
  centers_.ask(bag, {.top = 1}, scratch, answer);
  if (!answer.nearest.empty()) place.center = answer.nearest.front();
  return place;
}

Result<std::string> Landmarks::center_url(uint64_t cluster) const {
  const uint32_t center = clusters_.members(cluster).front();
  KITH_TRY(urls_.check(center));
  return urls_.url(center);
}

// One worker's buffers.
struct alignas(worker_alignment) Worker {
  Worker(const Landmarks& landmarks, std::optional<text::Language> language)
      : bagger(landmarks.dictionary(), language) {}
  run::PageText text;
  jobs::PageBagger bagger;
  similar::InvertedIndex::Scratch scratch;
  std::vector<topics::Coordinate> buffer;
};

class RoutingJob {
 public:
  RoutingJob(const RouteOptions& options, const Landmarks& landmarks, const TopicTree& tree)
      : landmarks_(landmarks), tree_(tree), pool_(options.threads) {
    const auto language = text::language_of_tag(options.language);
    for (unsigned i = 0; i < pool_.size(); ++i) workers_.emplace_back(landmarks, language);
  }

  const ThreadPool& pool() const { return pool_; }

  // False when nothing more is wanted.
  Result<bool> route(const crawl::PageBatch& batch,
                     const std::function<bool(const RoutedPage&)>& take) {
    places_.assign(batch.pages.size(), std::nullopt);
    pool_.for_chunks(batch.pages.size(), 8, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) places_[i] = place_of(batch.pages[i], workers_[worker]);
    });
    for (size_t i = 0; i < batch.pages.size(); ++i) {
      if (batch.pages[i].kind == crawl::PageKind::redirect) continue;
      KITH_ASSIGN(const bool more, hand_over(batch.pages[i], places_[i], take));
      if (!more) return false;
    }
    return true;
  }

 private:
  std::optional<Landmarks::Place> place_of(const crawl::Page& page, Worker& worker) const {
    if (page.kind == crawl::PageKind::redirect) return std::nullopt;
    const text::HtmlText& text = worker.text.read(page);
    const sketch::Bag bag =
        worker.bagger.make(page.title.empty() ? text.title : page.title, text.text, text.language);
    return landmarks_.find(bag, worker.scratch, worker.buffer);
  }

  Result<bool> hand_over(const crawl::Page& page, const std::optional<Landmarks::Place>& place,
                         const std::function<bool(const RoutedPage&)>& take) const {
    RoutedPage routed;
    routed.url = page.url;
    std::string path;
    std::string center;
    if (place) {
      path = tree_.path(place->route.topic);
      routed.topic = path;
      routed.fit = place->route.fit;
    }
    if (place && place->center.id != similar::no_id) {
      routed.cluster = place->center.id;
      KITH_ASSIGN(center, landmarks_.center_url(place->center.id));
      routed.center = center;
      routed.similarity = sketch::similarity_of(place->center.sum_of_minima);
    }
    return take(routed);
  }

  const Landmarks& landmarks_;
  const TopicTree& tree_;
  ThreadPool pool_;
  std::deque<Worker> workers_;
  std::vector<std::optional<Landmarks::Place>> places_;
};

Result<CrawlCounts> route(const RouteOptions& options,
                          const std::function<bool(const RoutedPage&)>& take,
                          const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  KITH_ASSIGN(const auto landmarks, Landmarks::open(options.run));
  ReadOptions reading = options;
  if (reading.url_rules.empty()) reading.url_rules = landmarks->url_rules();
  KITH_ASSIGN(const TopicTree tree, TopicTree::open(options.run));
  PageKeys keys;
  KITH_ASSIGN(crawl::PageReader reader, run::open_pages(reading, keys));
  RoutingJob job(options, *landmarks, tree);
  run::note_missing_threads(job.pool(), progress);
  crawl::PageBatch batch;
  for (bool more = true; more;) {
    KITH_ASSIGN(more, reader.next(batch));
    KITH_ASSIGN(const bool goes_on, job.route(batch, take));
    if (!goes_on) break;
    if (progress) {
      progress({"route", static_cast<double>(reader.bytes_done()),
                static_cast<double>(reader.bytes_total()), "bytes"});
    }
  }
  return run::counts_of(reader.report());
}

}  // namespace

Result<CrawlCounts> route_pages(const RouteOptions& options,
                                const std::function<bool(const RoutedPage&)>& take,
                                const ProgressCallback& progress) {
  return run::guarded([&] {
    const run::StoppingProgress stopping(progress);
    return route(options, take, stopping.callback());
  });
}

}  // namespace kith
