// Which of some texts to keep.
#include <string_view>
#include <vector>

#include <kith/text_dedup.h>

#include "example.h"

int main() {
  const std::vector<std::string_view> texts = {
      "all happy families are alike every unhappy family is unhappy in its own way",
      "it was the best of times it was the worst of times it was the age of wisdom",
      "All happy families are alike; every unhappy family is unhappy in its own way."};
  const kith::TextDedup found = value_of(kith::dedup_texts(texts, {.similarity = 0.9}));
  for (size_t i = 0; i < texts.size(); ++i) {
    if (found.kept[i] == i) {
      std::printf("text %zu stays\n", i);
    } else {
      std::printf("text %zu goes: %.2f like text %u\n", i, found.similarity[i], found.kept[i]);
    }
  }
}
