// A cluster: its center and members, and a picture of the links between them.
import { api, type Member } from "../api";
import { h } from "../dom";
import { facts, heading, hostList, pageItem, pageLink, pager, section, similarityBar } from "../parts";
import { clusterPicture } from "../picture";
import { address, pageNumber } from "../route";
import { count, words } from "../text";
import type { View } from "../view";

// The first page of the list has the members of the picture.
const rowsOfAPage = 60;

function memberRow(member: Member, number: number): HTMLElement {
  return h(
    "li",
    { "data-member": number },
    h("span", { class: "place", "aria-hidden": "true" }, count(number)),
    similarityBar(member.similarity),
    pageItem(member),
  );
}

export const clusterView: View = async (parameters) => {
  const number = pageNumber(parameters, "number");
  const page = pageNumber(parameters);
  const { cluster, members, list } = await api.cluster(number, page, rowsOfAPage);
  const before = (list.page - 1) * list.size;
  const rows = h(
    "ol",
    { class: "rows members", start: before + 1 },
    members.map((member, i) => memberRow(member, before + i + 1)),
  );
  const hasPicture = list.page === 1 && members.length > 2 && (cluster.links?.length ?? 0) > 0;
  return {
    title: `Cluster ${cluster.label.slice(0, 3).join(", ")}`,
    content: [
      h(
        "p",
        { class: "breadcrumbs" },
        h("a", { href: address("clusters") }, "Clusters"),
        ` / ${count(cluster.number)}`,
      ),
      heading("Cluster: ", words(cluster.label)),
      facts([
        ["Pages", count(cluster.size)],
        ["Center", pageLink(cluster.center)],
        ["Hosts", hostList(cluster.hosts, cluster.size)],
      ]),
      h(
        "div",
        { class: hasPicture ? "columns picture-and-list" : "" },
        section(
          "Members, most similar to the center first",
          "members",
          rows,
          pager(list, (to) => address("cluster", { number, page: to }), "members"),
        ),
        hasPicture &&
          section("Links between members", "picture", clusterPicture(members, cluster.links ?? [], rows)),
      ),
    ],
  };
};
