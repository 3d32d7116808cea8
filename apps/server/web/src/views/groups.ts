// All groups of near-duplicates, as a table.
import { api, type GroupHead } from "../api";
import { groupLink, documentLink } from "../dedup_parts";
import { h } from "../dom";
import { heading, pager } from "../parts";
import { address, pageNumber } from "../route";
import { count, counted } from "../text";
import type { DedupView } from "../view";

const rowsOfAPage = 50;

function row(group: GroupHead): HTMLElement {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, groupLink(group.number)),
    h("td", { class: "number" }, count(group.size)),
    h("td", {}, documentLink(group.kept)),
  );
}

export const groupsView: DedupView = async (parameters, run) => {
  const sort = parameters.get("sort") === "smallest" ? "smallest" : "largest";
  const { groups, list } = await api.groups(sort, pageNumber(parameters), rowsOfAPage);
  const isLargest = sort === "largest";
  const other = isLargest ? "smallest" : "largest";
  const sorter = h(
    "a",
    { href: address("groups", { sort: other }), class: "sorter", title: `Show the ${other} first` },
    "Documents",
    h("span", { "aria-hidden": "true" }, isLargest ? " ▼" : " ▲"),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "Group"),
    h("th", { scope: "col", class: "number", "aria-sort": isLargest ? "descending" : "ascending" }, sorter),
    h("th", { scope: "col" }, "Kept document"),
  );
  return {
    title: "Groups",
    content: [
      heading("Groups"),
      h(
        "p",
        { class: "muted" },
        `${counted(run.groups, "group")} of two or more documents, the ${sort} first.`,
      ),
      run.groups > 0 &&
        h("table", { class: "list groups" }, h("thead", {}, head), h("tbody", {}, groups.map(row))),
      pager(list, (page) => address("groups", { sort, page }), "groups"),
    ],
  };
};
