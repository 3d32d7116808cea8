#include <vector>

#include <fmt/format.h>

#include "cli/output/comparison.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>kith compare</title>
<style>
body { font: 15px/1.45 sans-serif; margin: 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 }
td, th { padding: .15em .8em .15em 0; text-align: left; font-variant-numeric: tabular-nums }
.texts { display: grid; grid-template-columns: 1fr 1fr; gap: 1em }
.text { border: 1px solid #ccc; padding: .6em; height: 80vh; overflow: auto; white-space: pre-wrap;
        overflow-wrap: anywhere }
.text > * { unicode-bidi: isolate; color: inherit; text-decoration: none }
.shared { background: #e8f3e8 }
.elsewhere { background: #fff3cd }
.only { background: #fbdcdc }
:target { outline: 2px solid #1f77b4 }
</style>
</head>
<body>
)";

// Text of others inside elements and quoted attributes: nothing of it is markup. Characters that
// HTML does not have become U+FFFD.
std::string html_text(std::string_view text) {
  std::string html;
  html.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      case '\t':
      case '\n':
        html += c;
        break;
      case '\r':
        html += ' ';
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          html += "\xef\xbf\xbd";
        } else {
          html += c;
        }
    }
  }
  return html;
}

void add_text(const Document& document, const std::vector<Passage>& passages,
              const std::vector<size_t>& twins, bool of_b, std::string& html) {
  const char here = of_b ? 'b' : 'a';
  const char there = of_b ? 'a' : 'b';
  html += "<div class=\"text\">";
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    if (!(of_b ? stands_in_b(passage.kind) : stands_in_a(passage.kind))) continue;
    const std::string text = html_text(part_of(document, of_b ? passage.b : passage.a));
    if (passage.kind == PassageKind::only_a || passage.kind == PassageKind::only_b) {
      html += fmt::format("<span class=\"only\" id=\"{}{}\">{}</span>", here, i, text);
      continue;
    }
    const bool shared = passage.kind == PassageKind::shared;
    html += fmt::format("<a class=\"{}\" id=\"{}{}\" href=\"#{}{}\">{}</a>",
                        shared ? "shared" : "elsewhere", here, i, there, twins[i], text);
  }
  html += "</div>\n";
}

void add_numbers(const Comparison& comparison, std::string& html) {
  const auto row = [&](std::string_view what, const std::string& value) {
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", what, value);
  };
  html += "<table>\n";
  row("resemblance", similarity_text(comparison.resemblance));
  row("containment of A in B", similarity_text(comparison.containment_of_a));
  row("containment of B in A", similarity_text(comparison.containment_of_b));
  row("bag similarity", similarity_text(comparison.bag_similarity));
  row("SimHash distance of words", fmt::format("{} of 64 bits", comparison.word_distance));
  row("SimHash distance of shingles", fmt::format("{} of 64 bits", comparison.shingle_distance));
  html +=
      "</table>\n<details><summary>Estimators</summary>\n<table>\n<tr><th>estimator</th>"
      "<th>of</th><th>exact</th><th>estimate</th><th>lower</th><th>upper</th></tr>\n";
  for (const SketchEstimate& estimate : comparison.estimates) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td>"
        "</tr>\n",
        html_text(estimate.sketch), measure_text(estimate.measure), estimate.exact, estimate.value,
        estimate.lower, estimate.upper);
  }
  html += "</table>\n</details>\n";
}

}  // namespace

std::string comparison_html(const Document& a, const Document& b, const Comparison& comparison) {
  std::string html(head);
  html += fmt::format("<h1>A: {}<br>B: {}</h1>\n", html_text(a.name), html_text(b.name));
  add_numbers(comparison, html);
  html +=
      "<p><span class=\"shared\">in both</span> <span class=\"elsewhere\">elsewhere in the "
      "other</span> <span class=\"only\">in this one only</span>; a click on a shared passage "
      "leads to its twin.</p>\n<div class=\"texts\">\n";
  const std::vector<size_t> twins = twins_of(comparison.passages);
  add_text(a, comparison.passages, twins, false, html);
  add_text(b, comparison.passages, twins, true, html);
  html += "</div>\n</body>\n</html>\n";
  return html;
}

}  // namespace kith::cli
