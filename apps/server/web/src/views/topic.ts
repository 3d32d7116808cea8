// A topic: the topics in it, and its pages.
import { api } from "../api";
import { h } from "../dom";
import {
  breadcrumbs,
  facts,
  heading,
  hostList,
  pageItem,
  pageLink,
  pager,
  section,
  topicRow,
} from "../parts";
import { address, pageNumber } from "../route";
import { count, similarity, words } from "../text";
import type { View } from "../view";

export const topicView: View = async (parameters) => {
  const path = parameters.get("path") ?? "";
  const { topic, parents, children, pages, list } = await api.topic(path, pageNumber(parameters));
  const largest = Math.max(0, ...children.map((child) => child.pages));
  const turn = pager(list, (page) => address("topic", { path, page }), "pages");
  return {
    title: `Topic ${topic.label.slice(0, 3).join(", ")}`,
    content: [
      breadcrumbs(parents, topic),
      heading("Topic: ", words(topic.label)),
      facts([
        ["Pages", count(topic.pages)],
        [
          "Cohesion",
          [similarity(topic.cohesion), h("span", { class: "muted" }, " mean cosine of two of its pages")],
        ],
        ...(topic.exemplar ? ([["Example", pageLink(topic.exemplar)]] as [string, HTMLElement][]) : []),
        ...(topic.hosts && topic.hosts.length > 0
          ? ([["Hosts", hostList(topic.hosts, topic.pages)]] as [string, HTMLElement][])
          : []),
      ]),
      children.length > 0 &&
        section(
          "Topics in it",
          "children",
          h(
            "ul",
            { class: "rows" },
            children.map((child) => h("li", {}, topicRow(child, largest))),
          ),
        ),
      section(
        "Pages",
        "pages",
        h(
          "ul",
          { class: "rows two" },
          pages.map((page) => h("li", {}, pageItem(page))),
        ),
        turn,
      ),
    ],
  };
};
