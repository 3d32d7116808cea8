#include "crawl/read/wacz.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "crawl/read/file_names.h"
#include "crawl/read/json_line.h"
#include "crawl/read/unpacked_stream.h"

namespace kith::crawl {
namespace {

constexpr std::string_view kFolderOfLists = "pages/";
// Lines may hold the text of a page, too; a longer one is passed over.
constexpr size_t kLongestLine = 16u << 20;
constexpr uint64_t kBytesPerTitle = 32;  // besides its text

std::string_view without_fragment(std::string_view url) {
  return url.substr(0, url.find('#'));
}

}  // namespace

bool is_wacz(const Container& container) {
  return container.find("datapackage.json") &&
         std::ranges::any_of(container.members(), [](const Member& member) {
           return member.name.starts_with(kFolderOfWacz) && format_by_name(member.name);
         });
}

Result<PageTitles> PageTitles::of_wacz(Container& wacz) {
  PageTitles titles;
  for (size_t i = 0; i < wacz.members().size(); ++i) {
    const Member& member = wacz.members()[i];
    if (!member.name.starts_with(kFolderOfLists) || *member.obstacle != '\0') continue;
    if (format_by_name(member.name) == FileFormat::jsonl) KITH_TRY(titles.read_list(wacz, i));
  }
  return titles;
}

Status PageTitles::read_list(Container& wacz, size_t member) {
  KITH_ASSIGN(std::unique_ptr<ByteSource> source, wacz.open(member));
  KITH_ASSIGN(UnpackedStream stream,
              UnpackedStream::open(std::move(source), codec_by_name(wacz.members()[member].name)));
  JsonLineParser parser;
  std::string buffer;
  for (;;) {
    buffer.assign(kJsonPadding, ' ');
    KITH_ASSIGN(const bool any, append_line(stream, kLongestLine, buffer));
    if (!any) return Status::ok();
    const Slice line{kJsonPadding, buffer.size() - kJsonPadding};
    if (line.size > kLongestLine) continue;
    buffer.append(kJsonPadding, ' ');
    Arena raw(buffer);
    raw.take(buffer.size());
    const JsonLine fields = parser.parse(raw.view(line), max_json_values(kLongestLine));
    if (*fields.problem != '\0' || fields.url.empty() || fields.title.size == 0) continue;
    const std::string url(fields.url);
    const std::optional<Slice> title =
        unescape_json_in_place(raw, {line.offset + fields.title.offset, fields.title.size});
    if (title) add(url, trim(raw.view(*title)));
  }
}

void PageTitles::add(std::string_view url, std::string_view title) {
  title = cut_utf8(title, kLongestTitle);
  if (title.empty() || title == url) return;
  if (text_.size() + title.size() + (titles_.size() + 1) * kBytesPerTitle > kMostBytes) return;
  const auto [place, is_new] =
      titles_.try_emplace(hash64(without_fragment(url)), Slice{text_.size(), title.size()});
  if (is_new) text_ += title;
}

std::string_view PageTitles::find(std::string_view url) const {
  const auto found = titles_.empty() ? titles_.end() : titles_.find(hash64(without_fragment(url)));
  if (found == titles_.end()) return {};
  return std::string_view(text_).substr(found->second.offset, found->second.size);
}

}  // namespace kith::crawl
