// The start of a run of kith dedup: what it has, and its largest groups.
import { api } from "../api";
import { documentLink, groupLink } from "../dedup_parts";
import { h } from "../dom";
import { heading, section } from "../parts";
import { address } from "../route";
import { count, counted, foreign } from "../text";
import type { DedupView } from "../view";

const shownGroups = 10;

function tile(number: number, name: string, view: string): HTMLElement {
  return h(
    "li",
    {},
    h("a", { class: "tile", href: address(view) }, h("strong", {}, count(number)), h("span", {}, name)),
  );
}

export const dedupStartView: DedupView = async (_, run) => {
  const { groups } = await api.groups("largest", 1, shownGroups);
  return {
    title: run.name,
    content: [
      heading("Near-duplicates of ", foreign(run.name, 80)),
      h(
        "ul",
        { class: "tiles" },
        tile(run.documents, run.documents === 1 ? "document" : "documents", "report"),
        tile(run.groups, run.groups === 1 ? "group" : "groups", "groups"),
        tile(run.removed, "removed", "report"),
      ),
      section(
        "Largest groups",
        "largest-groups",
        groups.length === 0
          ? h("p", { class: "muted" }, "No document of this run is like another.")
          : h(
              "ul",
              { class: "rows" },
              groups.map((group) =>
                h(
                  "li",
                  {},
                  h(
                    "div",
                    { class: "page-item" },
                    h(
                      "span",
                      {},
                      groupLink(group.number),
                      h("span", { class: "muted" }, `, ${counted(group.size, "document")}, kept:`),
                    ),
                    documentLink(group.kept),
                  ),
                ),
              ),
            ),
        groups.length > 0 && h("p", {}, h("a", { href: address("groups") }, "All groups")),
      ),
    ],
  };
};
