#include <algorithm>

#include "server/api.h"

namespace kith::server {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The words that are asked for, each of which must be the beginning of a word.
class Question {
 public:
  static Result<Question> make(std::string_view text) {
    Question question;
    KITH_ASSIGN(question.words_, split_words(text));
    return question;
  }

  bool is_empty() const { return words_.size() == 0; }

  // Most texts are told apart by their bytes, in a fraction of the time.
  Result<bool> fits(std::string_view text) {
    make_ascii_lower(text, folded_);
    for (size_t i = 0; i < words_.size(); ++i) {
      if (is_ascii(words_[i]) && folded_.find(words_[i]) == std::string::npos) return false;
    }
    KITH_ASSIGN(const Words words, split_words(text));
    for (size_t i = 0; i < words_.size(); ++i) {
      if (!has_beginning(words, words_[i])) return false;
    }
    return true;
  }

 private:
  static bool has_beginning(const Words& words, std::string_view beginning) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].starts_with(beginning)) return true;
    }
    return false;
  }

  Words words_;
  std::string folded_;
};

class Searcher {
 public:
  Searcher(const ClusterApi& api, std::string asked, Question question, size_t most)
      : api_(api), asked_(std::move(asked)), question_(std::move(question)), most_(most) {}

  Result<Json> results() {
    KITH_TRY(add_urls());
    KITH_TRY(add_hosts());
    KITH_TRY(add_topics());
    KITH_TRY(add_clusters());
    KITH_TRY(add_titles());
    return Json{{"results", std::move(results_)}, {"complete", is_complete_}};
  }

 private:
  bool is_full(size_t before) const { return results_.size() - before >= most_; }

  Status add_urls() {
    KITH_ASSIGN(const auto ids, api_.run().with_prefix(asked_, most_));
    for (const UrlId id : ids) KITH_TRY(add_page("url", id));
    return Status::ok();
  }

  Status add_page(const char* kind, UrlId id) {
    KITH_ASSIGN(const std::string url, api_.run().url(id));
    KITH_ASSIGN(const std::string_view title, api_.run().title(id));
    results_.push_back({{"kind", kind}, {"url", url}, {"title", title}});
    return Status::ok();
  }

  Status add_hosts() {
    if (asked_.find('/') != std::string::npos || question_.is_empty()) return Status::ok();
    const size_t before = results_.size();
    std::string part;
    make_ascii_lower(asked_, part);
    const auto look = [&](uint64_t number) -> Result<bool> {
      KITH_ASSIGN(const Host host, api_.run().host(number));
      if (host.name.find(part) != std::string::npos) {
        KITH_ASSIGN(const std::string first, api_.run().url(host.begin));
        results_.push_back({{"kind", "host"},
                            {"host", host.name},
                            {"urls", host.end - host.begin},
                            {"url", first}});
      }
      return !is_full(before);
    };
    return note(look_through(api_.run().hosts(), look), before);
  }

  Status add_topics() {
    if (api_.topic_tree() == nullptr || question_.is_empty()) return Status::ok();
    const size_t before = results_.size();
    const TopicTree& tree = *api_.topic_tree();
    const auto look = [&](uint64_t number) -> Result<bool> {
      const Topic topic = tree.topic(static_cast<uint32_t>(number + 1));
      KITH_ASSIGN(const bool fits, question_.fits(joined(topic.label)));
      if (fits) {
        results_.push_back({{"kind", "topic"},
                            {"path", topic.path},
                            {"label", topic.label},
                            {"pages", topic.pages}});
      }
      return !is_full(before);
    };
    return note(look_through(tree.topics() - 1, look), before);
  }

  Status add_clusters() {
    if (question_.is_empty()) return Status::ok();
    const size_t before = results_.size();
    const auto look = [&](uint64_t number) -> Result<bool> {
      KITH_ASSIGN(const auto label, api_.run().cluster_label(number));
      KITH_ASSIGN(const bool fits, question_.fits(joined(label)));
      if (fits) {
        KITH_ASSIGN(const uint64_t size, api_.run().cluster_size(number));
        results_.push_back(
            {{"kind", "cluster"}, {"number", number + 1}, {"label", label}, {"size", size}});
      }
      return !is_full(before);
    };
    return note(look_through(api_.run().report().clusters.clusters, look), before);
  }

  Status add_titles() {
    if (question_.is_empty()) return Status::ok();
    const size_t before = results_.size();
    const auto look = [&](uint64_t number) -> Result<bool> {
      const auto id = static_cast<UrlId>(number);
      KITH_ASSIGN(const std::string_view title, api_.run().title(id));
      KITH_ASSIGN(const bool fits, question_.fits(title));
      if (fits) KITH_TRY(add_page("title", id));
      return !is_full(before);
    };
    return note(look_through(api_.run().urls(), look), before);
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + ' ';
    return text;
  }

  // A list that is full is as complete as it was asked to be.
  Status note(const Result<bool>& seen_all, size_t before) {
    KITH_TRY(seen_all.status());
    if (!*seen_all && !is_full(before)) is_complete_ = false;
    return Status::ok();
  }

  const ClusterApi& api_;
  const std::string asked_;
  Question question_;
  const size_t most_;  // of each kind
  Json results_ = Json::array();
  bool is_complete_ = true;
};

}  // namespace

Result<Json> search(const ClusterApi& api, const Target& target) {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"q", "n", "run"}));
  KITH_ASSIGN(std::string asked, parameters.text("q"));
  constexpr uint64_t usual = 5;
  constexpr uint64_t most = 100;
  KITH_ASSIGN(const uint64_t n, parameters.number("n", usual, 1, most));
  KITH_ASSIGN(Question question, Question::make(asked));
  return Searcher(api, std::move(asked), std::move(question), n).results();
}

}  // namespace kith::server
