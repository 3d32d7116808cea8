#include "text/html/markup.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "text/html/attributes.h"
#include "text/html/scan.h"
#include "text/html/tags.h"

namespace kith::text {
namespace {

// Names in classes, ids and addresses by which the services that tell robots apart are known.
constexpr std::array<std::string_view, 9> captcha_names = {
    "captcha",       // reCAPTCHA, hCaptcha, FriendlyCaptcha and most others
    "turnstile",     // Cloudflare
    "cf-challenge",  // Cloudflare
    "challenge-platform",
    "challenge-form",
    "_incapsula_resource",
    "datadome",
    "px-block",  // PerimeterX
    "ddos-guard",
};

bool names_captcha(std::string_view value) {
  if (value.size() > 512) value = value.substr(0, 512);
  const std::string lower = to_ascii_lower(value);
  return std::ranges::any_of(
      captcha_names, [&](std::string_view name) { return lower.find(name) != std::string::npos; });
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names,
                             [&](std::string_view one) { return equals_ignoring_case(name, one); });
}

// The attributes of a tag that mean something here.
struct Attributes {
  std::string_view type, name, http_equiv, content, source;
  bool names_captcha = false;
};

class MarkupReader {
 public:
  MarkupReader(std::string_view html, Markup& out)
      : begin_(html.data()), end_(begin_ + html.size()), out_(out) {}

  void run() {
    for (const char* at = begin_; at < end_;) {
      at = find_any<'<'>(at, end_);
      if (at < end_) at = read_tag(at + 1);
    }
  }

 private:
  const char* read_tag(const char* at) {
    if (at == end_) return end_;
    if (*at == '!' && end_ - at > 2 && at[1] == '-' && at[2] == '-') {
      return find_comment_end(at + 3, end_);
    }
    if (*at == '/') {
      const char* const name_end = find_name_end<>(at + 1, end_);
      if (equals_ignoring_case({at + 1, name_end}, "noscript")) end_noscript(at - 1);
      return name_end;
    }
    if (!is_ascii_alpha(*at)) return at;
    const char* const name_end = find_name_end<>(at, end_);
    const std::string_view name(at, name_end);
    Attributes own;
    const char* const after = read_all_attributes(
        name_end, end_,
        [&](std::string_view key, std::string_view value) { note(key, value, own); });
    if (after == nullptr) return end_;
    take(name, own);
    if (equals_ignoring_case(name, "script")) return find_script_end(after, end_);
    if (is_one_of(name, {"style", "title", "textarea"}))
      return find_raw_text_end(after, end_, name);
    if (equals_ignoring_case(name, "noscript") && noscript_ == nullptr) noscript_ = after;
    return after;
  }

  static void note(std::string_view key, std::string_view value, Attributes& own) {
    if (equals_ignoring_case(key, "type")) own.type = value;
    if (equals_ignoring_case(key, "name")) own.name = value;
    if (equals_ignoring_case(key, "http-equiv")) own.http_equiv = value;
    if (equals_ignoring_case(key, "content")) own.content = value;
    if (is_one_of(key, {"src", "data", "data-src", "srcset"})) own.source = value;
    if (is_one_of(key, {"class", "id", "src", "name", "action"})) {
      own.names_captcha |= names_captcha(value);
    }
  }

  void take(std::string_view name, const Attributes& own) {
    out_.has_captcha |= own.names_captcha;
    if (equals_ignoring_case(name, "script")) ++out_.scripts;
    if (equals_ignoring_case(name, "form")) ++out_.forms;
    if (equals_ignoring_case(name, "frameset")) out_.has_frames = true;
    if (equals_ignoring_case(name, "input")) {
      out_.has_password |= equals_ignoring_case(own.type, "password");
    }
    if (is_one_of(name,
                  {"img", "iframe", "frame", "embed", "object", "video", "audio", "source"}) &&
        !own.source.empty()) {
      ++out_.media;
      out_.media_hash += mix64(hash64(own.source));
    }
    if (!equals_ignoring_case(name, "meta")) return;
    out_.refreshes |= equals_ignoring_case(own.http_equiv, "refresh");
    out_.is_noindex |= equals_ignoring_case(own.name, "robots") &&
                       to_ascii_lower(own.content).find("noindex") != std::string::npos;
  }

  void end_noscript(const char* at) {
    if (noscript_ != nullptr) {
      out_.unscripted_text += ' ';
      out_.unscripted_text.append(noscript_, at);
    }
    noscript_ = nullptr;
  }

  const char* begin_;
  const char* end_;
  const char* noscript_ = nullptr;  // where the open one begins
  Markup& out_;
};

}  // namespace

void read_markup(std::string_view html, Markup& out) {
  std::string kept = std::move(out.unscripted_text);
  kept.clear();
  out = {};
  out.unscripted_text = std::move(kept);
  MarkupReader(html, out).run();
}

}  // namespace kith::text
