#include "unit/faults/jobs.h"

#include <memory>
#include <optional>
#include <utility>

#include "kith/dedup.h"
#include "kith/passages.h"
#include "kith/pipeline.h"
#include "kith/stream_job.h"

#include "unit/faults/answers.h"
#include "unit/faults/countdown.h"

namespace kith::test {
namespace {

std::string letter(int i) {
  return {static_cast<char>('a' + i)};
}

// Two families on four hosts, linked, with boilerplate and titles.
std::string cluster_page(int i) {
  const std::string text =
      i % 2 == 0 ? "guitar chord melody rhythm tune " : "oven butter flour egg dough ";
  const std::string url = "https://h" + std::to_string(i % 4) + ".example/" + std::to_string(i);
  return R"({"url": ")" + url + R"(", "html": "<title>)" + text + letter(i) +
         "</title><nav>home about imprint</nav><p>" + text + " word" + letter(i) +
         "<a href='https://h1.example/" + std::to_string((i + 2) % 12) + R"('>see )" + text +
         "</a>\"}\n";
}

std::string dedup_page(int i) {
  return R"({"url": "https://a.example/)" + std::to_string(i) +
         R"(", "html": "<p>one two three four five six seven eight nine ten word)" + letter(i / 2) +
         "\"}\n";
}

std::string stream_page(int i) {
  return R"({"url": "https://a.example/)" + std::to_string(i % 11) +
         R"(", "text": "one two three four five six seven eight nine ten word)" + letter(i / 3) +
         R"(", "time": )" + std::to_string(1000 + i) + "}\n";
}

template <class Page>
std::string lines_of(int begin, int end, const Page& page) {
  std::string lines;
  for (int i = begin; i < end; ++i) lines += page(i);
  return lines;
}

ClusterOptions cluster_options(const std::string& folder) {
  ClusterOptions options;
  options.inputs = {folder + "/crawl"};
  options.min_df = 1;
  options.max_df = 1;
  options.similarity = 0.3;
  options.lanes = 16;
  options.threads = 2;
  options.check_queries = 3;
  return options;
}

DedupOptions dedup_options(const std::string& folder) {
  DedupOptions options;
  options.inputs = {folder + "/documents.jsonl"};
  options.similarity = 0.7;
  options.width = 2;
  options.threads = 2;
  options.check_queries = 3;
  return options;
}

NamedJob cluster_job(std::string name, const ClusterOptions& options) {
  return {std::move(name), {[own = options](const std::string& output) mutable {
            {
              const Untroubled ours;
              own.output = output;
            }
            return cluster_crawl(own, goes_on()).status();
          }}};
}

// With the copy of the input, where one is written.
Made dedup_files_of(const std::string& output) {
  Made files = stage_files_of(output + "/run");
  for (const char* const list : {"run/groups.tsv", "run/pairs.tsv", "run/keep.tsv", "copy"}) {
    const std::string path = output + "/" + list;
    if (std::filesystem::exists(path)) files[list] = read_file(path);
  }
  return files;
}

NamedJob dedup_job(std::string name, const DedupOptions& options) {
  return {std::move(name),
          {[own = options](const std::string& output) mutable {
             {
               const Untroubled ours;
               std::filesystem::create_directories(output);
               own.output = output + "/run";
               if (!own.write.empty()) own.write = output + "/copy";
             }
             return dedup(own, goes_on()).status();
           },
           dedup_files_of}};
}

// Of passages of documents that have most of their text in common.
NamedJob passages_job(std::string name, const PassageOptions& options) {
  const auto files_of = [](const std::string& output) {
    Made files;
    for (const char* const file : {"run/passages.tsv", "run/losses.tsv", "texts"}) {
      const std::string path = output + "/" + file;
      if (std::filesystem::exists(path)) files[file] = read_file(path);
    }
    return files;
  };
  return {std::move(name),
          {[own = options](const std::string& output) mutable {
             {
               const Untroubled ours;
               std::filesystem::create_directories(output);
               own.output = output + "/run";
               own.write = output + "/texts";
             }
             return find_passages(own, goes_on()).status();
           },
           files_of}};
}

// The file that `kith stream` writes to.
class StreamRows {
 public:
  StreamReceiver receiver() {
    return {.begin = [this](const StreamProgress&) -> Result<uint64_t> { return rows_; },
            .resume = [](const StreamProgress&) { return Status::ok(); },
            .take =
                [this](const StreamAnswer& answer) {
                  take(answer);
                  return Status::ok();
                },
            .flush = [] { return Status::ok(); },
            .settle = [] { return Status::ok(); }};
  }
  const Answers& answers() const { return answers_; }

 private:
  void take(const StreamAnswer& answer) {
    const Untroubled ours;
    rows_ += answer.size();
    for (const StreamDecision& of : answer.decisions) {
      answers_.add(of.document, of.cluster, name(of.role), of.similarity, of.leader, of.size,
                   of.theme);
    }
    for (const StreamPair& of : answer.pairs) answers_.add(of.earlier, of.later, of.similarity);
  }

  Answers answers_;
  uint64_t rows_ = 0;
};

NamedJob stream_job(std::string name, const std::string& folder, const StreamOptions& stream) {
  StreamJobOptions options;
  options.inputs = {folder + "/pages.jsonl"};
  options.stream = stream;
  options.durable = Durable::page;
  const auto run = [own = options,
                    rows = std::make_shared<StreamRows>()](const std::string& output) mutable {
    StreamReceiver receiver;
    {
      const Untroubled ours;
      if (!std::filesystem::exists(output)) *rows = StreamRows();
      std::filesystem::create_directories(output);
      own.directory = output + "/stream";
      receiver = rows->receiver();
    }
    Status done = run_stream(own, receiver).status();
    if (done) rows->answers().write(output);
    return done;
  };
  return {std::move(name), {run, Answers::read}};
}

// A service whose clients give their pages again after an error, and which is opened again where
// that does not help.
class ServiceJob {
 public:
  explicit ServiceJob(std::string directory) : directory_(std::move(directory)) {}

  Status run(Answers& answers) {
    KITH_TRY(begin());
    for (int page = 0; page < 30; page += 5) KITH_TRY(add(page, page + 5));
    service_.reset();
    KITH_ASSIGN(const Stream stream, Stream::open(directory_, options()));
    return throwing([&] { ask(stream, answers); });
  }

 private:
  static StreamOptions options() {
    const Untroubled ours;
    StreamOptions options;
    options.similarity = 0.6;
    options.lanes = 16;
    options.themes = 3;
    return options;
  }
  static void ask(const Stream& stream, Answers& answers) {
    for (const StreamCluster& of : stream.clusters()) {
      answers.add(of.number, of.theme);
      for (const StreamMember& member : of.members) answers.add(member.document, member.similarity);
    }
  }
  Status begin() {
    const Untroubled ours;
    std::filesystem::remove_all(directory_);
    return Stream::open(directory_, options()).status();
  }
  Status open() {
    StreamServiceOptions options;
    {
      const Untroubled ours;
      options.directory = directory_;
    }
    options.durable = Durable::page;
    Result<StreamService> opened = StreamService::open(options);
    if (!opened) opened = StreamService::open(options);
    KITH_ASSIGN(StreamService service, std::move(opened));
    service_.emplace(std::move(service));
    return Status::ok();
  }
  Status add(int begin, int end) {
    std::string lines;
    {
      const Untroubled ours;
      lines = lines_of(begin, end, stream_page);
    }
    if (!service_) KITH_TRY(open());
    if (service_->add(lines) || service_->add(lines)) return Status::ok();
    service_.reset();
    KITH_TRY(open());
    return service_->add(lines).status();
  }

  const std::string directory_;
  std::optional<StreamService> service_;
};

NamedJob service_job() {
  const auto run = [](const std::string& output) {
    std::optional<ServiceJob> job;
    Answers answers;
    {
      const Untroubled ours;
      job.emplace(output + "/stream");
    }
    Status done = job->run(answers);
    if (done) answers.write(output);
    return done;
  };
  return {"service", {run, Answers::read}};
}

}  // namespace

void make_inputs(const std::string& folder) {
  std::filesystem::create_directories(folder + "/crawl");
  write_file(folder + "/crawl/1.jsonl", lines_of(0, 6, cluster_page));
  write_file(folder + "/crawl/2.jsonl", lines_of(6, 12, cluster_page));
  write_file(folder + "/documents.jsonl", lines_of(0, 12, dedup_page));
  write_file(folder + "/pages.jsonl", lines_of(0, 30, stream_page));
  std::string labels = "url\tlabel\n";
  for (int i = 0; i < 12; ++i) {
    const std::string number = std::to_string(i);
    labels += "https://h" + std::to_string(i % 4) + ".example/" + number + "\t" +
              (i % 2 == 0 ? "music" : "baking") + "\nhttps://a.example/" + number + "\t" +
              letter(i / 2) + "\n";
  }
  write_file(folder + "/labels.tsv", labels);
  ClusterOptions options = cluster_options(folder);
  options.output = folder + "/clusters";
  ASSERT_TRUE(cluster_crawl(options).is_ok());
  options.shards = 2;
  for (options.shard = 1; options.shard <= 2; ++options.shard) {
    options.output = folder + "/shard" + std::to_string(options.shard);
    ASSERT_TRUE(cluster_crawl(options).is_ok());
  }
  DedupOptions documents = dedup_options(folder);
  documents.output = folder + "/dedup";
  ASSERT_TRUE(dedup(documents).is_ok());
}

std::vector<NamedJob> jobs_of_clusters(const std::string& folder) {
  std::vector<NamedJob> jobs;
  ClusterOptions options = cluster_options(folder);
  options.engine = EngineChoice::exact;
  jobs.push_back(cluster_job("exact", options));
  options.engine = EngineChoice::lsh;
  jobs.push_back(cluster_job("lsh", options));
  paper_preset(options);
  options.lanes = 16;
  jobs.push_back(cluster_job("paper", options));
  options = cluster_options(folder);
  options.shard = 1;
  options.shards = 2;
  jobs.push_back(cluster_job("shard", options));
  MergeOptions merging;
  merging.shards = {folder + "/shard1", folder + "/shard2"};
  merging.threads = 2;
  jobs.push_back({"merge", {[own = merging](const std::string& output) mutable {
                    {
                      const Untroubled ours;
                      own.output = output;
                    }
                    return merge(own, goes_on()).status();
                  }}});
  return jobs;
}

std::vector<NamedJob> jobs_of_dedup(const std::string& folder) {
  std::vector<NamedJob> jobs;
  DedupOptions options = dedup_options(folder);
  for (const DedupMethod method : {DedupMethod::minhash, DedupMethod::exact, DedupMethod::simhash,
                                   DedupMethod::supershingle, DedupMethod::containment}) {
    options.method = method;
    jobs.push_back(dedup_job(std::string(name(method)), options));
  }
  options = dedup_options(folder);
  options.write = "yes";
  jobs.push_back(dedup_job("write", options));
  options = dedup_options(folder);
  options.against = {folder + "/dedup"};
  options.max_documents = 0;
  jobs.push_back(dedup_job("against", options));
  PassageOptions passages;
  passages.inputs = {folder + "/documents.jsonl"};
  passages.min_tokens = 4;
  passages.threads = 2;
  passages.sentences = true;
  jobs.push_back(passages_job("spans", passages));
  passages.sentences = false;
  passages.unit = PassageUnit::line;
  passages.min_tokens = 0;
  passages.mode = PassageMode::first;
  jobs.push_back(passages_job("lines", passages));
  return jobs;
}

std::vector<NamedJob> jobs_of_streams(const std::string& folder) {
  StreamOptions shingles;
  shingles.similarity = 0.6;
  shingles.lanes = 16;
  shingles.decision_themes = true;
  StreamOptions contained = shingles;
  contained.decision_themes = false;
  contained.measure = StreamMeasure::containment;
  contained.forget_after_pages = 12;
  StreamOptions pairs = shingles;
  pairs.decision_themes = false;
  pairs.pairs = true;
  StreamOptions simhash;
  simhash.by = StreamBy::simhash;
  StreamOptions fingerprint;
  fingerprint.by = StreamBy::fingerprint;
  StreamOptions bags;
  bags.by = StreamBy::bags;
  bags.similarity = 0.3;
  bags.lanes = 16;
  bags.leader = StreamLeader::mean;
  return {stream_job("shingles", folder, shingles),
          stream_job("containment", folder, contained),
          stream_job("pairs", folder, pairs),
          stream_job("simhash", folder, simhash),
          stream_job("fingerprint", folder, fingerprint),
          service_job(),
          stream_job("bags", folder, bags)};
}

}  // namespace kith::test
