#include "bags/fold.h"

namespace kith::bags {
namespace {

Status fold(const Fragment& fragment, const AliasMap::Target& target, FragmentWriter& folded) {
  switch (fragment.kind) {
    case FragmentKind::link:
      return folded.add_link(target.key, target.url, fragment.source, fragment.terms);
    case FragmentKind::inlink:
      return folded.add_inlink(target.key, target.url);
    case FragmentKind::page:
    case FragmentKind::words:
    case FragmentKind::title:
      return folded.add_alias(fragment, target.key, target.url);
    default:
      return Status::ok();
  }
}

}  // namespace

Status fold_partition(std::string_view partition, const AliasMap& aliases, FragmentWriter& folded) {
  Cursor cursor(partition);
  Fragment fragment;
  while (!cursor.at_end()) {
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    const AliasMap::Target* const target = aliases.find(fragment.url);
    if (target != nullptr) KITH_TRY(fold(fragment, *target, folded));
  }
  return Status::ok();
}

}  // namespace kith::bags
