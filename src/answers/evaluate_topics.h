// The tree of topics of a run beside labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/evaluate.h"
#include "kith/topics.h"

#include "evaluate/label_table.h"

namespace kith::answers {

// Of every level of labels the cuts of the tree at each depth, and that with about as many topics
// as there are labels. ids[i] is the page whose labels of a level are those of its item i; a page
// without a topic is a topic of its own.
Result<std::vector<TopicEvaluation>> evaluate_topics(const TopicTree& tree,
                                                     std::span<const UrlId> ids,
                                                     std::span<const evaluate::LabelSets> levels);

}  // namespace kith::answers
