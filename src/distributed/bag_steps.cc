// kith::BagSteps: the words of pages, the keys of their URLs.
#include "kith/bag_steps.h"

#include <utility>

#include "api/batch.h"
#include "distributed/page_words.h"
#include "run/bag_step_options.h"
#include "text/url/url.h"

namespace kith {

struct BagSteps::State {
  BagStepOptions options;
};

BagSteps::BagSteps(std::unique_ptr<const State> state) : state_(std::move(state)) {}
BagSteps::~BagSteps() = default;
BagSteps::BagSteps(BagSteps&&) noexcept = default;
BagSteps& BagSteps::operator=(BagSteps&&) noexcept = default;

Result<BagSteps> BagSteps::make(const BagStepOptions& options) {
  return run::guarded([&]() -> Result<BagSteps> {
    // Of a run its options are checked; of its input and output nothing is used.
    KITH_TRY(validate(run::run_options_of_bags(options, "texts", "memory")));
    return BagSteps(std::make_unique<const State>(State{options}));
  });
}

const BagStepOptions& BagSteps::options() const {
  return state_->options;
}

Result<PageWords> BagSteps::words(std::span<const std::string_view> texts,
                                  std::span<const std::string_view> titles) const {
  if (!titles.empty() && titles.size() != texts.size()) {
    return api::usage(fmt::format("{} titles of {} texts: give one for each text, or none",
                                  titles.size(), texts.size()));
  }
  if (state_->options.bags != BagKind::content) {
    return api::usage("texts have no links: bags of them are of kind content");
  }
  if (state_->options.boilerplate == Boilerplate::remove) {
    return api::usage("texts have no site whose template could be left out: keep boilerplate");
  }
  return run::guarded([&]() -> Result<PageWords> {
    distributed::PageWordReader reader(state_->options);
    for (size_t i = 0; i < texts.size(); ++i) {
      reader.add_text(texts[i], titles.empty() ? std::string_view() : titles[i]);
    }
    return reader.take();
  });
}

StringList BagSteps::url_keys(std::span<const std::string_view> urls) {
  StringList keys;
  text::Url parsed;
  std::string key;
  for (const std::string_view url : urls) {
    key.clear();
    if (text::parse_url(url, nullptr, parsed)) text::surt_of_url(parsed.href, key);
    keys.add(key);
  }
  return keys;
}

}  // namespace kith
