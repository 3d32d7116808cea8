// All results of a search, by kind.
import { api, type SearchResult } from "../api";
import { h } from "../dom";
import { documentItem } from "../dedup_parts";
import { heading, pageItem, section } from "../parts";
import { kindNames, resultAddress, resultText } from "../search_box";
import { counted, foreign, plain } from "../text";
import type { AnyView } from "../view";

const perKind = 50;

function row(result: SearchResult): HTMLElement {
  if (result.kind === "document") return h("li", {}, documentItem(result));
  if (result.kind === "title" || result.kind === "url") return h("li", {}, pageItem(result));
  const [name, size] = resultText(result);
  return h("li", {}, h("a", { href: resultAddress(result) }, name), size);
}

const hints = {
  cluster: {
    empty: "Enter the beginning of a URL, a part of a host, or words.",
    nothing:
      "Nothing was found. A word is found in titles and labels, by its beginning; " +
      "a URL by its beginning, with its host.",
  },
  dedup: {
    empty: "Enter a part of the name of a document.",
    nothing: "No document has this in its name.",
  },
};

export const searchView: AnyView = async (parameters, run) => {
  const hint = hints[run.kind];
  const q = (parameters.get("q") ?? "").trim();
  if (q === "") {
    return {
      title: "Search",
      content: [heading("Search"), h("p", {}, hint.empty)],
    };
  }
  const { results, complete } = await api.search(q, perKind);
  const kinds = [...new Set(results.map((result) => result.kind))];
  return {
    title: `${counted(results.length, "result")} for ${plain(q, 60)}`,
    content: [
      heading(`${counted(results.length, "result")} for `, foreign(q, 80)),
      results.length === 0 && h("p", {}, hint.nothing),
      !complete && h("p", { class: "note" }, "The run is so large that not all of it was searched."),
      ...kinds.map((kind) => {
        const list = results.filter((result) => result.kind === kind);
        const note = list.length === perKind && h("p", { class: "muted" }, `The first ${perKind}.`);
        return section(kindNames[kind], `results-${kind}`, h("ul", { class: "rows" }, list.map(row)), note);
      }),
    ],
  };
};
