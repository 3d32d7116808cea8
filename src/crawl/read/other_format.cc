#include "crawl/read/other_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

using namespace std::string_view_literals;

// How to go on with what is known by its signature: by its name, else by its kind.
constexpr std::string_view kReadTables =
    "this program reads no such tables, the 'kith' of the Python package does: pip install "
    "'kith-web[parquet]'; or write it as JSON lines, e.g. with duckdb: COPY (FROM 'FILE') TO "
    "'FILE.jsonl'";

struct Advice {
  std::string_view name;
  std::string_view text;
};
constexpr std::array advices = {
    Advice{"an old office file", "save it as text or HTML first"},
    Advice{"an RTF document", "save it as text or HTML first"},
    Advice{"an SQLite database",
           "write its rows as JSON lines with url and text, e.g. with "
           "'sqlite3 FILE -json QUERY | jq -c .[]'"},
    Advice{"a Parquet file", kReadTables},
    Advice{"an Arrow file", kReadTables},
    Advice{"a Feather file", kReadTables},
    Advice{"an Avro file", "write it as JSON lines with url and text, e.g. with duckdb"},
};

std::string_view advice_of(const Signature& signature) {
  const auto* const own = std::ranges::find(advices, signature.name, &Advice::name);
  if (own != advices.end()) return own->text;
  switch (signature.kind) {
    case Skip::pdf:
      return "extract its text, e.g. with pdftotext, and give it as JSON lines with url and text";
    case Skip::image:
      return "kith reads text only; recognize it, e.g. with tesseract, and give it as JSON lines "
             "with url and text";
    case Skip::archive:
      return "unpack it first";
    default:
      return "kith reads the text of pages, and this has none";
  }
}

OtherFormat named(std::string_view name, std::string_view advice) {
  return {std::string(name), std::string(advice)};
}

// The name of the first element of XML, behind declarations and comments; empty where there is
// none.
std::string_view xml_root(std::string_view start) {
  for (;;) {
    start = trim(start);
    if (!start.starts_with('<')) return {};
    std::string_view end = ">";
    if (start.starts_with("<!--")) end = "-->";
    if (start.starts_with("<?")) end = "?>";
    if (end == ">" && !start.starts_with("<!")) {
      return start.substr(1, start.find_first_of(" \t\r\n/>", 1) - 1);
    }
    const size_t at = start.find(end);
    if (at == std::string_view::npos) return {};
    start.remove_prefix(at + end.size());
  }
}

std::optional<OtherFormat> other_xml(std::string_view start) {
  constexpr std::string_view fetch =
      "it names pages and holds none; fetch them, e.g. with wget --warc-file, and name the archive";
  struct Root {
    std::string_view element;
    std::string_view name;
    std::string_view advice;
  };
  constexpr std::array roots = {
      Root{"urlset", "a sitemap", fetch},
      Root{"sitemapindex", "a list of sitemaps", fetch},
      Root{"rss", "an RSS feed", fetch},
      Root{"rdf:RDF", "RDF, perhaps a feed", fetch},
      Root{"feed", "an Atom feed", fetch},
      Root{"opml", "a list of feeds (OPML)", fetch},
      Root{"svg", "an SVG image", "kith reads pages, and this is none"},
      Root{"mediawiki", "a dump of MediaWiki",
           "extract its texts, e.g. with wikiextractor --json, and name the JSON lines"},
  };
  const std::string_view element = xml_root(start);
  const auto* const root = std::ranges::find(roots, element, &Root::element);
  if (root == roots.end()) return std::nullopt;
  return named(root->name, root->advice);
}

// Takes a token of JSON, and blanks before it.
bool take_token(std::string_view& text, std::string_view token) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || !text.substr(at).starts_with(token)) return false;
  text.remove_prefix(at + token.size());
  return true;
}

// JSON that is no lines of objects, and what begins like it.
std::optional<OtherFormat> other_json(std::string_view start) {
  std::string_view rest = start;
  if (take_token(rest, "[")) {
    rest = trim(rest);
    constexpr std::string_view first = "{[\"]0123456789-";
    if (rest.empty() || first.find(rest.front()) == std::string_view::npos) return std::nullopt;
    return named("a JSON array", "kith reads JSON lines; write it as such, e.g. with 'jq -c .[]'");
  }
  if (take_token(rest, "{") && take_token(rest, "\"log\"") && take_token(rest, ":") &&
      take_token(rest, "{")) {
    const bool is_har = std::ranges::any_of(
        std::array{"\"version\"", "\"creator\"", "\"browser\"", "\"pages\"", "\"entries\""},
        [&](const char* key) { return std::string_view(rest).find(key) != rest.npos; });
    if (is_har) {
      return named("a HAR file", "convert it to WARC, e.g. with har2warc, and name that");
    }
  }
  rest = start;
  if (take_token(rest, "{\\rtf")) {
    return named("an RTF document", "save it as text or HTML first");
  }
  // A line of JSON lines is longer than its bracket.
  if (!take_token(rest, "{")) return std::nullopt;
  const size_t line = rest.find_first_not_of(" \t\r");
  if (line == std::string_view::npos || rest[line] != '\n') return std::nullopt;
  return named("JSON on several lines",
               "kith reads one object per line; write it as such, e.g. with 'jq -c .'");
}

std::vector<std::string_view> first_lines(std::string_view start, size_t most) {
  std::vector<std::string_view> lines;
  while (!start.empty() && lines.size() < most) {
    const size_t end = std::min(start.find('\n'), start.size());
    const std::string_view line = trim(start.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    start.remove_prefix(std::min(end + 1, start.size()));
  }
  return lines;
}

// "org,example)/path 20200102030405 {" or the fields of CDX.
bool is_cdx_line(std::string_view line) {
  const size_t key = line.find(' ');
  if (key == std::string_view::npos || line.substr(0, key).find(')') == std::string_view::npos) {
    return false;
  }
  const std::string_view time = line.substr(key + 1, 14);
  return time.size() == 14 && std::ranges::all_of(time, is_ascii_digit);
}

bool is_url_line(std::string_view line) {
  const bool is_url =
      starts_with_ignoring_case(line, "http://") || starts_with_ignoring_case(line, "https://");
  return is_url && line.find_first_of(" \t,\"{<") == std::string_view::npos;
}

// The name of the table whose first line this is, with the same number of separators in the second.
std::string_view table_name(const std::vector<std::string_view>& lines) {
  constexpr std::array tables = {std::pair{'\t', "a table (TSV)"sv},
                                 std::pair{',', "a table (CSV)"sv},
                                 std::pair{';', "a table (CSV)"sv}};
  for (const auto& [mark, name] : tables) {
    const char separator = mark;  // a lambda takes no structured binding
    const auto columns = std::ranges::count(lines[0], separator);
    const bool has_names = std::ranges::all_of(lines[0], [&](char c) {
      return is_ascii_alpha(c) || is_ascii_digit(c) || c == separator || c == '_' || c == ' ' ||
             c == '"' || c == '-' || c == '.';
    });
    if (columns == 0 || !has_names || lines.size() < 2) continue;
    if (std::ranges::count(lines[1], separator) >= columns) return name;
  }
  return {};
}

std::optional<OtherFormat> other_text(std::string_view start) {
  const std::vector<std::string_view> lines = first_lines(start, 4);
  if (lines.empty()) return std::nullopt;
  if (start.starts_with(" CDX ") || is_cdx_line(lines[0])) {
    return named("an index of captures (CDX)",
                 "it names captures and holds none; name the archives that it is of");
  }
  if (start.starts_with("version https://git-lfs")) {
    return named("a pointer of Git LFS", "get the file itself with 'git lfs pull'");
  }
  if (lines[0].starts_with("HTTP/1.") || lines[0].starts_with("HTTP/2")) {
    return named("an HTTP response", "kith reads those in WARC files");
  }
  const bool is_mail = starts_with_ignoring_case(lines[0], "from:") ||
                       starts_with_ignoring_case(lines[0], "mime-version:") ||
                       starts_with_ignoring_case(lines[0], "received:") ||
                       starts_with_ignoring_case(lines[0], "return-path:") ||
                       lines[0].starts_with("From ");
  if (is_mail) {
    return named("a mail, or a page saved as one (MHTML)",
                 "save the page as HTML, or give the text as JSON lines with url and text");
  }
  if (std::ranges::all_of(lines, is_url_line)) {
    return named("a list of URLs",
                 "kith reads pages and fetches none; fetch them, e.g. with 'wget -i FILE "
                 "--warc-file crawl', and name crawl.warc.gz");
  }
  if (const std::string_view table = table_name(lines); !table.empty()) {
    return named(table, "name the column that holds its text with --text-field, or call it text");
  }
  return std::nullopt;
}

// The beginning of a file made fit to print: control bytes as dots, not too long.
std::string shown_start(std::string_view bytes) {
  std::string shown(bytes.substr(0, 24));
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) c = '.';
  }
  return shown;
}

}  // namespace

std::optional<OtherFormat> other_format(std::string_view start) {
  if (start.empty()) return named("empty", "there is nothing to read");
  if (const Signature* const signature = find_signature(start)) {
    return named(signature->name, advice_of(*signature));
  }
  if (looks_like_utf16(start)) {
    return named("text in UTF-16",
                 "convert it first, e.g. with 'iconv -f UTF-16 -t UTF-8 FILE > NEW'");
  }
  if (auto found = other_markup(start)) return found;
  return other_text(start);
}

std::optional<OtherFormat> other_markup(std::string_view start) {
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  if (auto found = other_xml(start)) return found;
  return other_json(start);
}

std::string not_a_crawl(const std::string& path, std::string_view start) {
  const std::string_view name = path == "-" ? std::string_view("standard input") : path;
  if (const auto found = other_format(start)) {
    return fmt::format("{} is {}: {}", name, found->name, found->advice);
  }
  return fmt::format(
      "{} is no crawl file: it begins with \"{}\"; kith reads WARC, ARC and JSONL, "
      "plain or compressed with gzip, zstd, bzip2, xz or lz4, HTML files, and zip files (WACZ) and "
      "tars of all these",
      name, shown_start(start));
}

std::string how_to_fetch(std::string_view url) {
  const auto pipe = [&](std::string_view command) {
    return fmt::format(
        "{} is a URL, not a file: download it, or pipe it, e.g. "
        "'{} | kith cluster - -o DIR'",
        url, command);
  };
  if (url.starts_with("file://")) return fmt::format("{} is a URL: name the file by its path", url);
  if (url.starts_with("s3://")) return pipe("aws s3 cp URL -");
  if (url.starts_with("gs://")) return pipe("gcloud storage cat URL");
  if (url.starts_with("hdfs://")) return pipe("hdfs dfs -cat URL");
  if (starts_with_ignoring_case(url, "http")) return pipe("curl -L URL");
  return fmt::format("{} is a URL, not a file: download it, or pipe it", url);
}

}  // namespace kith::crawl
