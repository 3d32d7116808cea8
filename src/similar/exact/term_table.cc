#include "similar/exact/term_table.h"

namespace kith::similar {
namespace {

constexpr auto all_none = [] {
  std::array<uint32_t, 4096> page{};
  page.fill(TermTable::none);
  return page;
}();

}  // namespace

TermTable::Page TermTable::empty_page = all_none;

void TermTable::add_page(size_t page) {
  if (page >= pages_.size()) pages_.resize(page + 1, &empty_page);
  owned_.push_back(std::make_unique<Page>(empty_page));
  pages_[page] = owned_.back().get();
}

}  // namespace kith::similar
