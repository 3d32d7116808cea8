// A group of near-duplicates: its documents, which of them is kept, and its pairs.
import { api, type DocumentInfo } from "../api";
import { documentLink, overlapLink, pairTable } from "../dedup_parts";
import { h } from "../dom";
import { facts, heading, pager, scrolling, section } from "../parts";
import { address, pageNumber } from "../route";
import { bytes, count, similarity } from "../text";
import type { DedupView } from "../view";

const documentsOfAPage = 50;
const pairsOfAPage = 25;

export const groupView: DedupView = async (parameters) => {
  const number = pageNumber(parameters, "number");
  const page = pageNumber(parameters);
  const pairsPage = pageNumber(parameters, "pairs");
  const [{ group, documents, list }, pairs] = await Promise.all([
    api.group(number, page, documentsOfAPage),
    api.pairs({ number }, pairsPage, pairsOfAPage),
  ]);
  const row = (document: DocumentInfo) => {
    const isKept = document.role === "kept";
    const measure = (value: number | undefined) =>
      h("td", { class: "number" }, isKept || value === undefined ? "–" : similarity(value));
    return h(
      "tr",
      {},
      h("td", {}, isKept ? h("strong", {}, "kept") : document.equal_to ? "removed, equal" : "removed"),
      h("th", { scope: "row" }, documentLink(document)),
      measure(document.resemblance),
      measure(document.containment),
      measure(document.containment_of_kept),
      h("td", { class: "number" }, bytes(document.bytes)),
      h("td", {}, isKept ? "" : overlapLink(group.kept, document, "Texts")),
    );
  };
  const column = (name: string, isNumber = false) =>
    h("th", { scope: "col", class: isNumber ? "number" : undefined }, name);
  const head = h(
    "tr",
    {},
    column("Fate"),
    column("Document"),
    column("Resemblance", true),
    column("Of it in the kept", true),
    column("Of the kept in it", true),
    column("Text", true),
    column("Compare"),
  );
  return {
    title: `Group ${count(number)}`,
    content: [
      h(
        "p",
        { class: "breadcrumbs" },
        h("a", { href: address("groups") }, "Groups"),
        ` / ${count(group.number)}`,
      ),
      heading(`Group ${count(group.number)}`),
      facts([
        ["Documents", count(group.size)],
        ["Kept", documentLink(group.kept)],
      ]),
      section(
        "Documents, and how similar they are to the one that is kept",
        "documents",
        scrolling(
          "Table of documents",
          h("table", { class: "list documents" }, h("thead", {}, head), h("tbody", {}, documents.map(row))),
        ),
        pager(list, (to) => address("group", { number, page: to, pairs: pairsPage }), "documents"),
      ),
      section(
        "Pairs",
        "pairs",
        h(
          "p",
          { class: "muted" },
          "Similar pairs that the run has found; of equal documents the first stands for all. " +
            "“Of the first” is the share of the first document that is in the second.",
        ),
        pairTable(pairs.pairs, pairs.list, (to) => address("group", { number, page, pairs: to })),
      ),
    ],
  };
};
