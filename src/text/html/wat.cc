#include "text/html/wat.h"

#include <algorithm>
#include <new>
#include <span>

#include <simdjson.h>

#include "base/bytes.h"
#include "base/json_walk.h"
#include "text/html/attributes.h"

namespace kith::text {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

// A parser holds some six bytes for each byte of the longest JSON it has seen; one that has grown
// over this for a single record is thrown away.
constexpr size_t large_parser = 4u << 20;

// Appends words with one blank between them.
void append_collapsed(std::string_view text, std::string& out) {
  const size_t begin = out.size();
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ';
    if (!is_blank) {
      out.push_back(c);
    } else if (out.size() > begin && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  if (out.size() > begin && out.back() == ' ') out.pop_back();
}

struct Link {
  std::string_view path;
  std::string_view url;
  std::string_view text;
  std::string_view title;
  std::string_view alt;
};

void add_link(const Link& link, HtmlText& out) {
  if (link.url.empty() || (link.path != "A@/href" && link.path != "AREA@/href")) return;
  if (out.links.size() == max_links) {
    ++out.further_links;
    return;
  }
  HtmlLink added;
  added.text_begin = static_cast<uint32_t>(out.text.size());
  const auto texts = {link.text, link.title, link.alt};
  const auto* const text = std::ranges::find_if(texts, [](auto t) { return !trim(t).empty(); });
  if (text != texts.end()) append_collapsed(*text, out.text);
  added.text_end = static_cast<uint32_t>(out.text.size());
  if (added.text_end > added.text_begin) out.text.push_back('\n');
  added.href_begin = static_cast<uint32_t>(out.hrefs.size());
  out.hrefs += link.url;
  added.href_end = static_cast<uint32_t>(out.hrefs.size());
  out.links.push_back(added);
}

error_code read_links(ondemand::value links, HtmlText& out) {
  return each_element(links, [&](ondemand::value element) {
    Link link;
    const error_code error = each_field(element, [&](std::string_view key, ondemand::value value) {
      if (key == "path") return read_string(value, link.path);
      if (key == "url") return read_string(value, link.url);
      if (key == "text") return read_string(value, link.text);
      if (key == "title") return read_string(value, link.title);
      if (key == "alt") return read_string(value, link.alt);
      return SUCCESS;
    });
    if (error == SUCCESS) add_link(link, out);
    return error;
  });
}

// The first canonical link and the first refresh count, as in HTML.
error_code read_head_links(ondemand::value links, HtmlText& out) {
  return each_element(links, [&](ondemand::value element) {
    std::string_view rel;
    std::string_view url;
    const error_code error = each_field(element, [&](std::string_view key, ondemand::value value) {
      if (key == "rel") return read_string(value, rel);
      if (key == "url") return read_string(value, url);
      return SUCCESS;
    });
    if (error == SUCCESS && out.canonical.empty() && is_canonical(rel)) out.canonical = trim(url);
    return error;
  });
}

error_code read_metas(ondemand::value metas, HtmlText& out) {
  return each_element(metas, [&](ondemand::value element) {
    std::string_view name;
    std::string_view equivalent;
    std::string_view content;
    const error_code error = each_field(element, [&](std::string_view key, ondemand::value value) {
      if (key == "name") return read_string(value, name);
      if (key == "http-equiv") return read_string(value, equivalent);
      if (key == "content") return read_string(value, content);
      return SUCCESS;
    });
    if (error != SUCCESS) return error;
    if (name == "HTML@/lang") out.language = content;
    if (out.refresh.empty() && equals_ignoring_case(equivalent, "refresh")) {
      out.refresh = refresh_target(content).value_or("");
    }
    return SUCCESS;
  });
}

error_code read_head(ondemand::value head, HtmlText& out) {
  return each_field(head, [&](std::string_view key, ondemand::value value) {
    if (key == "Metas") return read_metas(value, out);
    if (key == "Link") return read_head_links(value, out);
    if (key != "Title" && key != "Base") return SUCCESS;
    std::string_view text;
    const error_code error = read_string(value, text);
    if (key == "Base") {
      out.base_href = text;
    } else {
      out.title.clear();
      append_collapsed(text, out.title);
    }
    return error;
  });
}

// Goes down the keys of `path` and reads what stands there.
error_code descend(ondemand::value value, std::span<const std::string_view> path, HtmlText& out) {
  return each_field(value, [&](std::string_view key, ondemand::value child) {
    if (path.empty()) {
      if (key == "Head") return read_head(child, out);
      return key == "Links" ? read_links(child, out) : SUCCESS;
    }
    return key == path.front() ? descend(child, path.subspan(1), out) : SUCCESS;
  });
}

}  // namespace

struct WatReader::Simdjson {
  ondemand::parser parser;
  std::string padded;  // the parser reads beyond the end

  error_code read(std::string_view json, HtmlText& out) {
    static constexpr std::string_view path[] = {"Envelope", "Payload-Metadata",
                                                "HTTP-Response-Metadata", "HTML-Metadata"};
    padded.assign(json);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    ondemand::document document;
    if (const auto error =
            parser.iterate(padded.data(), json.size(), padded.size()).get(document)) {
      return error;
    }
    ondemand::value whole;
    if (const auto error = document.get_value().get(whole)) return error;
    return descend(whole, path, out);
  }
};

WatReader::WatReader() = default;
WatReader::~WatReader() = default;

void WatReader::read(std::string_view json, HtmlText& out) {
  if (!simdjson_ || simdjson_->parser.capacity() > large_parser) {
    simdjson_ = std::make_unique<Simdjson>();
  }
  out.clear();
  out.links_stand_alone = true;
  // What stands before broken JSON is as good as the rest of a damaged page.
  if (simdjson_->read(json, out) == simdjson::MEMALLOC) throw std::bad_alloc();
}

}  // namespace kith::text
