// kith topics: the tree of topics of a run, for people and for programs.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

struct TopicsFlags {
  std::string directory;
  std::string under;
  std::optional<uint32_t> depth;
  std::optional<size_t> count;
  std::optional<ListFormat> format;  // none: text
  std::string output;                // empty: standard output
};

// Fewer children than these tell a reader little: theirs are shown, too.
constexpr uint32_t few_children = 5;
constexpr size_t most_hosts = 3;
constexpr size_t words_in_text = 5;
// Of a topic that stands on fewer hosts, all are named.
constexpr double least_share = 0.05;

class TopicPrinter {
 public:
  TopicPrinter(const Run& run, const TopicTree& tree, const TopicsFlags& flags, Output& out)
      : run_(run), tree_(tree), flags_(flags), out_(out) {}

  Status print() {
    KITH_ASSIGN(const uint32_t under, tree_.find(flags_.under));
    KITH_ASSIGN(usual_language_, language_of(0));
    if (!flags_.format) return print_text(under);
    return print_rows(under);
  }

 private:
  Status print_rows(uint32_t under) {
    using enum RowColumn::Type;
    const RowFormat format(*flags_.format, {"topic",
                                            {"pages", count},
                                            {"children", count},
                                            {"cohesion", share},
                                            {"label", words},
                                            {"hosts", words},
                                            "exemplar",
                                            "title",
                                            {"fetched", boolean},
                                            "language"});
    out_.header(format);
    for (const uint32_t number : rows_of(under)) {
      const Topic topic = tree_.topic(number);
      KITH_ASSIGN(const std::vector<std::string> label, written_label(run_, tree_, number));
      KITH_ASSIGN(const Named named, name_exemplar(topic));
      KITH_ASSIGN(const std::vector<std::string> hosts, hosts_of(number));
      KITH_ASSIGN(const std::string language, language_of(number));
      out_.row(format, {topic.path, topic.pages, uint64_t{topic.children}, topic.cohesion, label,
                        hosts, named.url, named.title, named.fetched, language});
      if (!out_.good()) break;
    }
    return Status::ok();
  }

  // A cut, or all topics down to a depth, each before its children.
  std::vector<uint32_t> rows_of(uint32_t under) const {
    if (flags_.count) return tree_.cut(*flags_.count, under);
    std::vector<uint32_t> rows;
    add_rows(under, flags_.depth.value_or(tree_.depth()), rows);
    return rows;
  }

  void add_rows(uint32_t number, uint32_t depth, std::vector<uint32_t>& rows) const {
    if (depth == 0) return;
    const Topic topic = tree_.topic(number);
    for (uint32_t i = 0; i < topic.children; ++i) {
      rows.push_back(topic.first_child + i);
      add_rows(topic.first_child + i, depth - 1, rows);
    }
  }

  Status print_text(uint32_t under) {
    const Topic topic = tree_.topic(under);
    KITH_TRY(print_head(topic));
    if (flags_.count) {
      for (const uint32_t number : tree_.cut(*flags_.count, under)) {
        KITH_TRY(print_line(number, 0));
      }
      return Status::ok();
    }
    return print_children(topic, 0);
  }

  Status print_head(const Topic& topic) {
    if (topic.path.empty()) {
      out_.line(fmt::format("{} in {}", counted(topic.pages, "page"),
                            counted(tree_.topics() - 1, "topic")));
      return Status::ok();
    }
    for (uint32_t at = *tree_.find(topic.path); at != 0; at = tree_.topic(at).parent) {
      ways_.push_back(at);
    }
    for (; !ways_.empty(); ways_.pop_back()) KITH_TRY(print_line(ways_.back(), 0));
    return Status::ok();
  }

  Status print_children(const Topic& topic, uint32_t depth) {
    const bool opens =
        flags_.depth ? depth + 1 < *flags_.depth : depth == 0 && topic.children < few_children;
    for (uint32_t i = 0; i < topic.children && out_.good(); ++i) {
      KITH_TRY(print_line(topic.first_child + i, depth));
      if (opens) KITH_TRY(print_children(tree_.topic(topic.first_child + i), depth + 1));
    }
    return Status::ok();
  }

  // "  1.3  1,234  words  [hosts]  Title"
  Status print_line(uint32_t number, uint32_t depth) {
    const Topic topic = tree_.topic(number);
    KITH_ASSIGN(std::vector<std::string> label, written_label(run_, tree_, number));
    label.resize(std::min(label.size(), words_in_text));
    KITH_ASSIGN(const Named named, name_exemplar(topic));
    KITH_ASSIGN(const std::vector<std::string> hosts, hosts_of(number));
    std::string words = label.empty() ? "(no word tells it from its siblings)"
                                      : fmt::format("{}", fmt::join(label, ", "));
    KITH_ASSIGN(const std::string language, language_of(number));
    if (language != usual_language_ && !language.empty())
      words = fmt::format("({}) {}", language, words);
    const std::string where = hosts.empty() ? "" : fmt::format("  [{}]", fmt::join(hosts, ", "));
    const std::string_view example = named.title.empty() ? named.url : named.title;
    out_.line(fmt::format("{:{}}{}  {}  {}{}  \"{}\"", "", 2 * depth, topic.path,
                          with_commas(topic.pages), printable(words), printable(where),
                          printable(example)));
    return Status::ok();
  }

  struct Named {
    std::string url;
    std::string_view title;
    bool fetched = false;
  };
  Result<Named> name_exemplar(const Topic& topic) const {
    Named named;
    if (topic.pages == 0) return named;
    KITH_ASSIGN(named.url, run_.url(topic.exemplar));
    KITH_ASSIGN(named.title, run_.title(topic.exemplar));
    KITH_ASSIGN(named.fetched, run_.fetched(topic.exemplar));
    return named;
  }

  // "docs.example.org 62%": those with a share worth naming, the largest first.
  Result<std::vector<std::string>> hosts_of(uint32_t number) const {
    KITH_ASSIGN(const std::span<const UrlId> pages, tree_.pages(number));
    KITH_ASSIGN(const std::vector<HostShare> hosts, main_hosts(run_, pages, most_hosts));
    std::vector<std::string> texts;
    for (const HostShare& host : hosts) {
      const double share = static_cast<double>(host.members) / static_cast<double>(pages.size());
      if (share < least_share) break;
      texts.push_back(fmt::format("{} {:.0f}%", host.host, 100 * share));
    }
    return texts;
  }

  Result<std::string> language_of(uint32_t number) const {
    KITH_ASSIGN(const std::span<const UrlId> pages, tree_.pages(number));
    return main_language(run_, pages);
  }

  const Run& run_;
  const TopicTree& tree_;
  const TopicsFlags& flags_;
  Output& out_;
  std::vector<uint32_t> ways_;
  std::string usual_language_;  // of most pages of the run
};

Status print_tree(const TopicsFlags& flags, Output& out) {
  KITH_ASSIGN(const Run run, Run::open(flags.directory));
  KITH_ASSIGN(const TopicTree tree, TopicTree::open(flags.directory));
  KITH_TRY(out.open(flags.output));
  return TopicPrinter(run, tree, flags, out).print();
}

}  // namespace

void add_topics_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<TopicsFlags>();
  CLI::App* const command =
      app.add_subcommand("topics", "The tree of topics of a run: path, pages, label, an example");
  command->add_option("DIR", flags->directory, "The run directory")->required();
  CLI::Option* const depth =
      command
          ->add_option("--depth", flags->depth,
                       "So many levels (default: in text the first, "
                       "and the second where it has fewer than 5 topics; else all)")
          ->check(from_to(1, 1000))
          ->type_name("N");
  command
      ->add_option("--topics", flags->count,
                   "About N topics, in one list: the largest and least similar are opened first")
      ->check(from_to(1, 1e9))
      ->type_name("N")
      ->excludes(depth);
  command->add_option("--under", flags->under, "Only what is below this topic")->type_name("PATH");
  add_choice<std::optional<ListFormat>>(*command, "--format", flags->format,
                                        {{"text", std::nullopt},
                                         {"tsv", ListFormat::tsv},
                                         {"csv", ListFormat::csv},
                                         {"csv-bom", ListFormat::csv_bom},
                                         {"jsonl", ListFormat::jsonl},
                                         {"parquet", ListFormat::parquet},
                                         {"arrow", ListFormat::arrow}},
                                        format_help);
  add_output_option(*command, flags->output);
  command->footer(R"(
The path 1.3.2 is the second topic of the third of the first; topics are numbered by size, the
largest first. The label has the words that tell a topic from its siblings.

Examples:
  kith topics run
  kith topics run --under 1.3 --depth 2
  kith topics run --topics 20
  kith topics run --format tsv | awk -F'\t' '$2 > 1000')");
  command->callback([flags, &outcome] {
    Output out(outcome.tables);
    if (const Status status = print_tree(*flags, out); !status) {
      return outcome.fail(status.error());
    }
    if (const Status status = out.finish(); !status) return outcome.fail(status.error());
  });
}

}  // namespace kith::cli
