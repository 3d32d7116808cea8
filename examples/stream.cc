// Decides on texts as they come, and removes one again.
#include <cstdio>
#include <string>

#include <kith/stream.h>

#include "example.h"

int main() {
  auto stream = value_of(kith::Stream::make({.similarity = 0.5}));
  const char* const texts[] = {
      "the quick brown fox jumps over the lazy dog and runs into the dark forest",
      "the quick brown fox jumps over the lazy dog and runs into the deep forest",
      "a text about something else that has no word in common with those before it",
  };
  for (int i = 0; i < 3; ++i) {
    const std::string name = "text " + std::to_string(i);
    const auto answer = value_of(stream.add({.name = name, .text = texts[i]}));
    const kith::StreamDecision& decision = answer.decisions.back();
    std::printf("%s: %s of cluster %llu, led by %s\n", name.c_str(),
                std::string(kith::name(decision.role)).c_str(),
                static_cast<unsigned long long>(decision.cluster), decision.leader.c_str());
  }
  const auto gone = value_of(stream.remove({.name = "text 0"}));
  std::printf("%s leads now\n", gone.decisions.front().document.c_str());
}
