// What the stream of a server must have and say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/stream/page_words.h"
#include "server/api.h"
#include "server/message.h"
#include "unit/jobs/stream/history.h"
#include "unit/server/simulated/requests.h"

namespace kith::server {

class StreamModel {
 public:
  explicit StreamModel(const StreamOptions& options)
      : options_(options), maker_(options, nullptr), history_(options) {}

  const jobs::Model& model() const { return history_.model(); }
  size_t pages() const { return history_.size(); }
  uint64_t clusters() const { return model().groups().size(); }
  uint64_t documents() const {
    uint64_t documents = 0;
    for (const auto& group : model().groups()) documents += group.members.size();
    return documents;
  }

  // A line comes; what is said of it.
  StreamAnswer take(const Line& line, int64_t date_ms);
  // Lines come until there are so many pages, which the lines must have.
  void take_up_to(uint64_t pages, const std::vector<Line>& lines, size_t from, int64_t date_ms);
  // Only so many pages survived.
  void cut(uint64_t pages) { history_.cut(pages); }

 private:
  StreamOptions options_;
  jobs::FeatureMaker maker_;
  jobs::History history_;
};

// What an answer of the server says of pages.
inline StreamAnswer answer_of(const Json& json) {
  StreamAnswer answer;
  for (const Json& row : json["decisions"]) {
    StreamDecision& of = answer.decisions.emplace_back();
    of.document = row["document"];
    of.cluster = row["cluster"];
    of.similarity = row["similarity"];
    of.leader = row["leader"];
    of.size = row["size"];
    for (const StreamRole role : {StreamRole::leader, StreamRole::member, StreamRole::duplicate,
                                  StreamRole::updated, StreamRole::moved, StreamRole::deleted}) {
      if (row["role"] == name(role)) of.role = role;
    }
  }
  for (const Json& row : json["pairs"]) {
    answer.pairs.push_back({row["earlier"], row["later"], row["similarity"]});
  }
  return answer;
}

inline StreamAnswer StreamModel::take(const Line& line, int64_t date_ms) {
  if (!line.step) return {};
  jobs::Step step = *line.step;
  if (!line.has_time) step.time = date_ms;
  const int64_t latest = std::max(history_.clock(), date_ms);
  const bool is_ahead = step.time > latest && step.time - latest > options_.max_skew_ms;
  if (is_ahead) step.time = history_.clock() == INT64_MIN ? date_ms : history_.clock();
  if (!step.is_removal) {
    const auto features = maker_.of_page({.name = step.name, .text = line.words});
    EXPECT_TRUE(features.is_ok());
    step.elements.assign(features->begin(), features->end());
  }
  return history_.add(std::move(step));
}

inline void StreamModel::take_up_to(uint64_t pages, const std::vector<Line>& lines, size_t from,
                                    int64_t date_ms) {
  for (size_t at = from; at < lines.size() && history_.size() < pages; ++at) {
    take(lines[at], date_ms);
  }
  EXPECT_EQ(history_.size(), pages);
}

}  // namespace kith::server
