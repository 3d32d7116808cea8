// A document: what became of it, and what it is similar to.
import { api } from "../api";
import { documentFacts, pairTable } from "../dedup_parts";
import { h } from "../dom";
import { externalLink, heading, section } from "../parts";
import { address, pageNumber } from "../route";
import { foreign, plain, shortUrl } from "../text";
import type { DedupView } from "../view";

const pairsOfAPage = 25;

export const documentView: DedupView = async (parameters) => {
  const id = Number(parameters.get("id") ?? "");
  const page = pageNumber(parameters);
  const { document } = await api.document(id);
  const pairs = document.group === undefined ? null : await api.pairs({ id }, page, pairsOfAPage);
  return {
    title: plain(shortUrl(document.name), 80),
    content: [
      heading(foreign(shortUrl(document.name))),
      h("p", {}, externalLink(document.name, document.date)),
      documentFacts(document),
      pairs &&
        section(
          "Its pairs within the group",
          "pairs",
          document.equal_to &&
            h(
              "p",
              { class: "muted" },
              "It has the shingles of an earlier document, which stands for it in the other pairs.",
            ),
          pairTable(pairs.pairs, pairs.list, (to) => address("document", { id, page: to })),
        ),
    ],
  };
};
