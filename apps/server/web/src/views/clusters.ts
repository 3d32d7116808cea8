// All clusters, as a table.
import { api, type Cluster } from "../api";
import { h } from "../dom";
import { clusterLink, heading, pageLink, pager } from "../parts";
import { address, pageNumber } from "../route";
import { count, counted, foreign } from "../text";
import type { View } from "../view";

const rowsOfAPage = 50;

function hosts(cluster: Cluster): HTMLElement[] {
  return cluster.hosts.slice(0, 2).map((host) => {
    const share = Math.round((100 * host.pages) / cluster.size);
    return h("div", {}, foreign(host.host, 60), h("span", { class: "muted" }, ` ${share} %`));
  });
}

function row(cluster: Cluster): HTMLElement {
  return h(
    "tr",
    {},
    h("td", { class: "number" }, count(cluster.number)),
    h("td", { class: "number" }, count(cluster.size)),
    h("th", { scope: "row" }, clusterLink(cluster)),
    h("td", { class: "wide" }, pageLink(cluster.center)),
    h("td", { class: "wide" }, hosts(cluster)),
  );
}

export const clustersView: View = async (parameters, run) => {
  const sort = parameters.get("sort") === "smallest" ? "smallest" : "largest";
  const { clusters, list } = await api.clusters(sort, pageNumber(parameters), rowsOfAPage);
  const isLargest = sort === "largest";
  const other = isLargest ? "smallest" : "largest";
  const sorter = h(
    "a",
    { href: address("clusters", { sort: other }), class: "sorter", title: `Show the ${other} first` },
    "Pages",
    h("span", { "aria-hidden": "true" }, isLargest ? " ▼" : " ▲"),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col", class: "number" }, "No."),
    h("th", { scope: "col", class: "number", "aria-sort": isLargest ? "descending" : "ascending" }, sorter),
    h("th", { scope: "col" }, "Label"),
    h("th", { scope: "col", class: "wide" }, "Center"),
    h("th", { scope: "col", class: "wide" }, "Hosts"),
  );
  const turn = () => pager(list, (page) => address("clusters", { sort, page }), "clusters");
  return {
    title: "Clusters",
    content: [
      heading("Clusters"),
      h(
        "p",
        { class: "muted" },
        `${counted(run.clusters, "cluster")} of two or more pages, the ${sort} first.`,
      ),
      run.clusters > 0 &&
        h("table", { class: "list clusters" }, h("thead", {}, head), h("tbody", {}, clusters.map(row))),
      turn(),
    ],
  };
};
