// Bags of texts that two machines have some of each, step by step.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kith/bag_steps.h>
#include <kith/bags.h>

#include "example.h"

namespace {

std::vector<std::string_view> views(const kith::StringList& strings) {
  std::vector<std::string_view> views;
  for (size_t i = 0; i < strings.size(); ++i) views.push_back(strings[i]);
  return views;
}

}  // namespace

int main() {
  const kith::BagSteps steps = value_of(kith::BagSteps::make());
  const std::vector<std::vector<std::string_view>> texts = {
      {"Old houses have gardens.", "A garden and its walls."},
      {"The walls of a house, and gardens.", "Guitars."}};
  // Each machine reads its own texts.
  std::vector<kith::PageWords> words;
  for (const auto& own : texts) words.push_back(value_of(steps.words(own)));
  // Where the words come together: in how many texts is each of them?
  std::map<std::string, uint64_t> counts;
  uint64_t filled = 0;
  for (const kith::PageWords& own : words) {
    for (size_t i = 0; i < own.stems.size(); ++i) {
      counts[std::string(own.stems[i])] += own.documents[i];
    }
    for (size_t i = 0; i < own.pages(); ++i) filled += own.offsets[i] < own.offsets[i + 1] ? 1 : 0;
  }
  std::vector<std::string_view> stems;
  std::vector<uint64_t> documents;
  for (const auto& [stem, count] : counts) {
    stems.push_back(stem);
    documents.push_back(count);
  }
  const kith::BagDictionary dictionary =
      value_of(steps.dictionary(std::span(&filled, 1), stems, documents));
  // Each machine weighs its own words.
  for (const kith::PageWords& own : words) {
    const kith::PageBags bags =
        value_of(dictionary.weigh(views(own.stems), own.offsets, own.terms, own.counts));
    for (size_t i = 0; i < bags.size(); ++i) {
      std::printf("bag:");
      for (uint64_t at = bags.offsets[i]; at < bags.offsets[i + 1]; ++at) {
        const std::string stem(dictionary.stem(bags.terms[at]));
        std::printf(" %s %.2f", stem.c_str(), bags.weights[at]);
      }
      std::printf("\n");
    }
  }
}
