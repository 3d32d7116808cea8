#include "cli/output/stream_lists.h"

#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output/console.h"
#include "cli/output/text_format.h"

namespace kith::cli {
namespace {

using Count = std::pair<std::string_view, uint64_t>;

std::vector<Count> counts_of(const StreamCounts& of) {
  return {{"pages", of.pages},
          {"documents", of.documents},
          {"clusters", of.clusters},
          {"duplicates", of.duplicates},
          {"updates", of.updates},
          {"deletions", of.deletions},
          {"unknown_deletions", of.unknown},
          {"late_pages", of.late},
          {"pages_ahead", of.ahead},
          {"pages_without_words", of.empty},
          {"forgotten_for_age", of.forgotten_age},
          {"forgotten_for_room", of.forgotten_room},
          {"forgotten_documents", of.forgotten_pages},
          {"memory_bytes", of.memory}};
}

// What is compared, and from when on it is similar.
std::string rule_of(const StreamOptions& options) {
  switch (options.by) {
    case StreamBy::shingles:
      return fmt::format("{} of shingles, at least {}", name(options.measure), options.similarity);
    case StreamBy::simhash:
      return fmt::format("fingerprints of which at most {} of 64 bits differ", options.distance);
    case StreamBy::fingerprint:
      return fmt::format("fingerprints of which the first {} bits are equal", options.bits);
    case StreamBy::bags:
      return fmt::format("similarity of bags{}, at least {}, by {}",
                         options.leader == StreamLeader::mean ? " to the mean of a cluster" : "",
                         options.similarity,
                         options.dictionary.empty() ? "weights that are learnt"
                                                    : "the words of " + options.dictionary);
  }
  return {};
}

}  // namespace

void print_stream_clusters(const Stream& stream, ListFormat list_format, bool summary,
                           Output& out) {
  const RowFormat format(
      list_format, summary ? std::vector<std::string_view>{"cluster", "size", "leader", "theme"}
                           : std::vector<std::string_view>{"cluster", "url", "role", "similarity"});
  out.header(format);
  for (const StreamCluster& cluster : stream.clusters()) {
    if (!out.good()) return;
    const std::vector<StreamMember>& members = cluster.members;
    if (summary) {
      if (members.size() == 1) continue;
      out.row(format,
              {cluster.number, uint64_t{members.size()}, members[0].document, cluster.theme});
      continue;
    }
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string_view role = i == 0 ? name(StreamRole::leader) : name(StreamRole::member);
      out.row(format, {cluster.number, members[i].document, role, members[i].similarity});
    }
  }
}

Status print_stream_related(const Stream& stream, const std::string& url, size_t n,
                            ListFormat list_format, Output& out) {
  KITH_ASSIGN(const std::vector<StreamMember> related, stream.related(url, n));
  const RowFormat format(list_format, {"url", "similarity"});
  out.header(format);
  for (const StreamMember& page : related) out.row(format, {page.document, page.similarity});
  return Status::ok();
}

void print_stream_info(const Stream& stream, bool json) {
  const StreamProgress& progress = stream.progress();
  if (json) {
    nlohmann::ordered_json out{{"by", name(stream.options().by)},
                               {"rule", rule_of(stream.options())},
                               {"rows", progress.answers},
                               {"last", progress.last}};
    for (const auto& [label, count] : counts_of(stream.counts())) out[std::string(label)] = count;
    using Handler = nlohmann::ordered_json::error_handler_t;
    return write_bytes(stdout, escaped_json(out.dump(2, ' ', false, Handler::replace)) + "\n");
  }
  print_to(stdout, "{:<22}{}\n", "stream", rule_of(stream.options()));
  print_to(stdout, "{:<22}{}\n", "last page", printable(progress.last));
  print_to(stdout, "{:<22}{}\n", "rows", with_commas(progress.answers));
  for (const auto& [label, count] : counts_of(stream.counts())) {
    print_to(stdout, "{:<22}{}\n", label, with_commas(count));
  }
}

}  // namespace kith::cli
