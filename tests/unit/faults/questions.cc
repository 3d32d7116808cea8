// What is asked of finished runs: their answers, and jobs that only read.
#include <filesystem>

#include "kith/classify.h"
#include "kith/compare.h"
#include "kith/dedup.h"
#include "kith/dedup_run.h"
#include "kith/evaluate.h"
#include "kith/run.h"
#include "kith/topics.h"

#include "unit/faults/answers.h"
#include "unit/faults/countdown.h"
#include "unit/faults/jobs.h"

namespace kith::test {
namespace {

Status ask_page(const Run& run, UrlId id, Answers& answers) {
  KITH_ASSIGN(const std::string url, run.url(id));
  KITH_ASSIGN(const UrlId found, run.find(url));
  KITH_ASSIGN(const auto title, run.title(id));
  KITH_ASSIGN(const uint64_t cluster, run.cluster_of(id));
  answers.add(url, found, title, cluster);
  KITH_ASSIGN(const auto related, run.related(id, 5));
  for (const Related& of : related) answers.add(of.id, of.similarity);
  KITH_ASSIGN(const auto by_site, run.related_by_site(id, 5, 1));
  for (const Related& of : by_site) answers.add(of.id, of.similarity);
  KITH_ASSIGN(const auto bag, run.bag(id));
  for (const TermWeight& of : bag) answers.add(of.term, of.weight, of.word);
  KITH_ASSIGN(const auto words, run.shared_words(0, id, 5));
  answers.add(words);
  return Status::ok();
}

Status ask_run(const std::string& directory, Answers& answers) {
  KITH_ASSIGN(const Run run, Run::open(directory));
  for (UrlId id = 0; id < run.urls(); ++id) KITH_TRY(ask_page(run, id, answers));
  KITH_ASSIGN(const auto any, run.find_any("h1.example/1/"));
  answers.add(any.url, any.exact);
  for (uint64_t number = 0; number < run.clusters(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    for (const Related& of : cluster.members) answers.add(of.id, of.similarity);
    answers.add(cluster.label);
  }
  KITH_ASSIGN(const auto scanned, run.related_by_scan(0, 5, 2));
  for (const Related& of : scanned) answers.add(of.id, of.similarity);
  return Status::ok();
}

Status ask_for_pairs(const std::string& directory, const std::string& scratch, Answers& answers) {
  KITH_ASSIGN(const Run run, Run::open(directory));
  const PairOptions options = untroubled([&] {
    PairOptions made;
    made.threads = 2;
    made.scratch = scratch;
    return made;
  });
  return run.for_each_pair(options, [&](const SimilarPair& pair) {
    answers.add(pair.a, pair.b, pair.similarity);
    return true;
  });
}

Status ask_for_topics(const std::string& directory, Answers& answers) {
  KITH_ASSIGN(const Run run, Run::open(directory));
  KITH_ASSIGN(const TopicTree tree, TopicTree::open(directory));
  for (uint32_t number = 0; number < tree.topics(); ++number) {
    KITH_ASSIGN(const auto label, written_label(run, tree, number));
    KITH_ASSIGN(const auto pages, tree.pages(number));
    KITH_ASSIGN(const auto hosts, main_hosts(run, pages, 3));
    answers.add(number, label, pages, hosts.size());
  }
  return Status::ok();
}

Status ask_dedup_run(const std::string& directory, Answers& answers) {
  KITH_ASSIGN(const DedupRun run, DedupRun::open(directory));
  for (DocumentId id = 0; id < run.documents(); ++id) {
    KITH_ASSIGN(const DocumentFacts facts, run.document(id));
    KITH_ASSIGN(const DocumentId found, run.find(facts.name));
    KITH_ASSIGN(const auto overlap, run.overlap(0, id));
    KITH_ASSIGN(const auto text, run.text(id, std::chrono::hours(1)));
    answers.add(facts.name, found, facts.kept, overlap.common, text.text, text.reason);
  }
  for (uint64_t number = 0; number < run.groups(); ++number) {
    KITH_ASSIGN(const auto part, run.pairs_of_group(number, 0, 100));
    for (const DocumentPair& of : part.pairs) answers.add(of.a, of.b, of.overlap.common);
  }
  return Status::ok();
}

Status ask_route(const std::string& folder, Answers& answers) {
  const RouteOptions options = untroubled([&] {
    RouteOptions made;
    made.inputs = {folder + "/crawl"};
    made.run = folder + "/clusters";
    made.threads = 2;
    return made;
  });
  return route_pages(
             options,
             [&](const RoutedPage& page) {
               answers.add(page.url, page.topic, page.fit, page.cluster, page.center,
                           page.similarity);
               return true;
             },
             goes_on())
      .status();
}

Status ask_classify(const std::string& folder, Answers& answers) {
  const ClassifyOptions options = untroubled([&] {
    ClassifyOptions made;
    made.run = folder + "/clusters";
    made.labels = folder + "/labels.tsv";
    made.threads = 2;
    return made;
  });
  return classify_pages(
             options,
             [&](const ClassifiedPage& page) {
               answers.add(page.url, page.class_name, page.confidence);
               return true;
             },
             goes_on())
      .status();
}

Status ask_evaluate(const std::string& folder, Answers& answers) {
  const auto for_run = [&](const char* run) {
    return untroubled([&] {
      EvaluateOptions made;
      made.labels = folder + "/labels.tsv";
      made.run = folder + run;
      return made;
    });
  };
  const EvaluateOptions options = for_run("/clusters");
  KITH_ASSIGN(const auto clusters, evaluate_clusters(options));
  for (const LevelEvaluation& of : clusters.levels) answers.add(of.depth, of.all.ari, of.all.nmi);
  for (const TopicEvaluation& of : clusters.topics) answers.add(of.label_depth, of.cuts.size());
  const EvaluateOptions of_dedup = for_run("/dedup");
  KITH_ASSIGN(const auto documents, evaluate_dedup(of_dedup));
  answers.add(documents.groups.ari, documents.verified.found, documents.grouped.correct);
  return Status::ok();
}

Status ask_compare(const std::string& folder, Answers& answers) {
  const CompareOptions options;
  const auto in = [&](const char* name) { return untroubled([&] { return folder + name; }); };
  const std::string clusters = in("/clusters");
  const std::string dedup = in("/dedup");
  const std::string first = untroubled([] { return std::string("https://a.example/0"); });
  const std::string second = untroubled([] { return std::string("https://a.example/4"); });
  KITH_ASSIGN(const auto a, make_document("a", "one two three four five six seven eight"));
  KITH_ASSIGN(const auto b, make_document("b", "one two three four six seven eight nine ten"));
  KITH_ASSIGN(const auto texts, compare(a, b, options));
  answers.add(texts.resemblance, texts.passages.size(), texts.estimates.size());
  KITH_ASSIGN(const auto documents, compare_in_dedup(dedup, first, second, options));
  answers.add(documents.common, documents.estimates.size());
  KITH_ASSIGN(const Run run, Run::open(clusters));
  KITH_ASSIGN(const auto bags, compare_bags(run, 0, 1, options));
  answers.add(bags.bag_similarity, bags.cosine, bags.terms.size());
  return Status::ok();
}

Status ask_to_open(const std::string& folder, Answers& answers) {
  const auto in = [&](const char* name) { return untroubled([&] { return folder + name; }); };
  const std::string clusters = in("/clusters");
  const std::string dedup = in("/dedup");
  KITH_ASSIGN(const Run run, Run::open(clusters));
  KITH_ASSIGN(const TopicTree tree, TopicTree::open(clusters));
  KITH_ASSIGN(const DedupRun documents, DedupRun::open(dedup));
  answers.add(run.urls(), tree.topics(), documents.documents());
  KITH_TRY(run.verify());
  return verify_dedup_run(dedup);
}

using Ask = Status (*)(const std::string& asked, Answers& answers);

template <Ask ask>
Status ask_throwing(const std::string& asked, Answers& answers) {
  return throwing([&] { return ask(asked, answers); });
}

template <class AnyAsk>
NamedJob question(std::string name, AnyAsk ask) {
  return {std::move(name),
          {[ask](const std::string& output) {
             Answers answers;
             {
               const Untroubled ours;
               std::filesystem::create_directories(output);
             }
             Status done = ask(output, answers);
             if (done) answers.write(output);
             return done;
           },
           Answers::read}};
}

}  // namespace

std::vector<NamedJob> questions(const std::string& folder) {
  const std::string clusters = folder + "/clusters";
  const std::string dedup = folder + "/dedup";
  const auto of = [](const std::string& asked, Ask ask) {
    return [asked, ask](const std::string&, Answers& answers) { return ask(asked, answers); };
  };
  return {question("open", of(folder, ask_to_open)),
          question("run", of(clusters, ask_throwing<ask_run>)),
          question("pairs",
                   [clusters](const std::string& output, Answers& answers) {
                     return ask_for_pairs(clusters, output, answers);
                   }),
          question("topics", of(clusters, ask_throwing<ask_for_topics>)),
          question("dedup_run", of(dedup, ask_throwing<ask_dedup_run>)),
          question("route", of(folder, ask_route)),
          question("classify", of(folder, ask_classify)),
          question("evaluate", of(folder, ask_evaluate)),
          question("compare", of(folder, ask_compare))};
}

}  // namespace kith::test
