// Pieces that several views of a run of kith dedup have.
import type { DocumentInfo, DocumentName, DocumentPair, List } from "./api";
import { h } from "./dom";
import { facts, pager, scrolling } from "./parts";
import { address } from "./route";
import { bytes, count, counted, foreign, plain, shortUrl, similarity } from "./text";

export function documentLink(document: DocumentName): HTMLElement {
  return h(
    "a",
    { class: "page-link", href: address("document", { id: document.id }) },
    foreign(shortUrl(document.name)),
  );
}

export function groupLink(number: number): HTMLElement {
  return h("a", { href: address("group", { number }) }, `Group ${count(number)}`);
}

export function overlapLink(a: DocumentName, b: DocumentName, text: string): HTMLElement {
  const name = (document: DocumentName) => plain(shortUrl(document.name), 80);
  const label = `Compare the texts of ${name(a)} and ${name(b)}`;
  return h("a", { href: address("overlap", { a: a.id, b: b.id }), "aria-label": label }, text);
}

// A document with what became of it, as a row of a list.
export function documentItem(document: DocumentInfo): HTMLElement {
  return h(
    "div",
    { class: "page-item" },
    documentLink(document),
    h("span", { class: "muted" }, fate(document)),
  );
}

export function fate(document: DocumentInfo): string {
  if (document.earlier) return "removed: an earlier run has one like it";
  if (document.group === undefined) return "kept, like no other";
  const group = `group ${count(document.group)}`;
  return document.role === "kept" ? `kept, of ${group}` : `removed, in ${group}`;
}

export function documentFacts(document: DocumentInfo): HTMLElement {
  const { group, equal_to, earlier } = document;
  return facts([
    ["Fate", fate(document)],
    ...(group === undefined ? [] : [["Group", groupLink(group)] as [string, HTMLElement]]),
    ...(equal_to ? [["Equal to", documentLink(equal_to)] as [string, HTMLElement]] : []),
    ...(earlier
      ? [
          [
            "Like",
            h(
              "span",
              {},
              foreign(earlier.name),
              ` of the run `,
              foreign(earlier.run, 60),
              `: resemblance ${similarity(earlier.resemblance)}`,
            ),
          ] as [string, HTMLElement],
        ]
      : []),
    ["Text", `${bytes(document.bytes)}, ${counted(document.elements, "shingle")}`],
    ["Input", h("span", {}, foreign(document.file, 120), `, record ${count(document.record)}`)],
    ...(document.date === undefined ? [] : [["Captured", document.date] as [string, string]]),
  ]);
}

function pairRow(pair: DocumentPair): HTMLElement {
  const number = (value: number) => h("td", { class: "number" }, similarity(value));
  return h(
    "tr",
    {},
    h("td", {}, documentLink(pair.a)),
    h("td", {}, documentLink(pair.b)),
    number(pair.resemblance),
    number(pair.containment_of_a),
    number(pair.containment_of_b),
    h("td", {}, overlapLink(pair.a, pair.b, "Texts")),
  );
}

// Pairs as a table, with the pages of their list.
export function pairTable(
  pairs: readonly DocumentPair[],
  list: List,
  to: (page: number) => string,
): HTMLElement {
  if (pairs.length === 0) return h("p", { class: "muted" }, "The run has found no pairs here.");
  const head = ["Resemblance", "Of the first", "Of the second"].map((name) =>
    h("th", { scope: "col", class: "number" }, name),
  );
  return h(
    "div",
    {},
    scrolling(
      "Table of pairs",
      h(
        "table",
        { class: "list pairs" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "First document"),
            h("th", { scope: "col" }, "Second document"),
            head,
            h("th", { scope: "col" }, "Compare"),
          ),
        ),
        h("tbody", {}, pairs.map(pairRow)),
      ),
    ),
    pager(list, to, "pairs"),
  );
}
