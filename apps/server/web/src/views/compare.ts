// Two pages beside each other: the words of both, and what sketches say of their similarity.
import { api, type Comparison, type Estimate } from "../api";
import { h } from "../dom";
import { bar, compareForm, externalLink, facts, heading, pageLink, scrolling, section, textTable } from "../parts";
import { foreign, similarity } from "../text";
import type { View } from "../view";

const shownTerms = 60;
const fingerprintBits = 64;

function form(a: string, b: string): HTMLElement {
  return compareForm(
    "compare",
    [
      { id: "url-a", name: "First URL", value: a },
      { id: "url-b", name: "Second URL", value: b },
    ],
    { maxlength: 8000, spellcheck: "false" },
  );
}

function terms(comparison: Comparison): HTMLElement {
  const weight = (term: { a: number; b: number }) => Math.max(term.a, term.b);
  const list = comparison.terms.slice(0, shownTerms);
  const heaviest = Math.max(0, ...list.map(weight));
  const cell = (value: number, side: string) =>
    h(
      "td",
      { class: `side ${side}` },
      h(
        "span",
        { class: "pair" },
        h("span", { class: "number" }, value === 0 ? "–" : value.toFixed(2)),
        bar(value / heaviest, side),
      ),
    );
  const rows = list.map((term) =>
    h("tr", {}, cell(term.a, "a"), h("th", { scope: "row" }, foreign(term.word, 40)), cell(term.b, "b")),
  );
  return textTable("butterfly", ["Weight in the first", "Word", "Weight in the second"], rows);
}

// The interval of an estimate on a line from 0 to 1, with the exact value as a mark.
function interval(estimate: Estimate): HTMLElement {
  const share = (value: number) => `${(100 * Math.min(1, Math.max(0, value))).toFixed(2)}%`;
  const range = h("span", { class: "range" });
  range.style.insetInlineStart = share(estimate.lower);
  range.style.inlineSize = share(estimate.upper - estimate.lower);
  const exact = h("span", { class: "exact" });
  exact.style.insetInlineStart = share(estimate.exact);
  return h("span", { class: "interval", "aria-hidden": "true" }, range, exact);
}

function estimates(list: readonly Estimate[]): HTMLElement {
  const measure = (name: string) => name.replaceAll("_", " ");
  const rows = list.map((estimate) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, foreign(estimate.sketch, 80)),
      h("td", {}, foreign(measure(estimate.measure), 40)),
      h("td", { class: "number" }, similarity(estimate.value)),
      h("td", { class: "number" }, `${similarity(estimate.lower)} to ${similarity(estimate.upper)}`),
      h("td", { class: "number" }, similarity(estimate.exact)),
      h("td", {}, interval(estimate)),
    ),
  );
  const head = ["Sketch", "Measure", "Estimate", "Bounds", "Exact"].map((name, i) =>
    h("th", { scope: "col", class: i >= 2 ? "number" : undefined }, name),
  );
  return scrolling(
    "Estimates",
    h(
      "table",
      { class: "list" },
      h("thead", {}, h("tr", {}, head, h("th", { scope: "col" }, "From 0 to 1"))),
      h("tbody", {}, rows),
    ),
  );
}

export const compareView: View = async (parameters) => {
  const a = parameters.get("a") ?? "";
  const b = parameters.get("b") ?? "";
  if (a === "" || b === "") {
    return { title: "Compare two pages", content: [heading("Compare two pages"), form(a, b)] };
  }
  const comparison = await api.compare(a, b);
  const rest = comparison.terms.length - shownTerms;
  const side = (name: string, page: Comparison["a"]) =>
    h(
      "div",
      { class: "panel" },
      h("h2", {}, name),
      h("p", {}, pageLink(page)),
      page.title.trim() !== "" && h("p", {}, externalLink(page.url)),
    );
  return {
    title: "Compare two pages",
    content: [
      heading("Compare two pages"),
      h(
        "div",
        { class: "columns even" },
        side("First page", comparison.a),
        side("Second page", comparison.b),
      ),
      facts([
        [
          "Similarity",
          [similarity(comparison.similarity), h("span", { class: "muted" }, " of their bags, exact")],
        ],
        ["Cosine", similarity(comparison.cosine)],
        [
          "SimHash",
          [`${comparison.distance} of ${fingerprintBits}`, h("span", { class: "muted" }, " bits differ")],
        ],
      ]),
      section(
        "Words",
        "terms",
        terms(comparison),
        rest > 0 &&
          h("p", { class: "muted" }, `The ${shownTerms} with the most shared weight; there are more.`),
      ),
      section(
        "Estimates by sketches",
        "estimates",
        h(
          "p",
          { class: "muted" },
          "What a fingerprint says without the bags: the estimate, bounds with a confidence of 95 %, " +
            "and the exact value.",
        ),
        estimates(comparison.estimates),
      ),
      section("Other pages", "other", form(comparison.a.url, comparison.b.url)),
    ],
  };
};
