// The start: what the run has, its largest topics and clusters.
import { api } from "../api";
import { h } from "../dom";
import { clusterLink, heading, section, sizeBar, topicRow } from "../parts";
import { address } from "../route";
import { count, foreign } from "../text";
import type { View } from "../view";

const shownTopics = 8;
const shownClusters = 8;

function tile(number: number, name: string, view: string): HTMLElement {
  const inner = [h("strong", {}, count(number)), h("span", {}, number === 1 ? name : `${name}s`)];
  return h("li", {}, h("a", { class: "tile", href: address(view) }, inner));
}

export const startView: View = async (_, run) => {
  const [topics, clusters] = await Promise.all([
    run.topics > 0 ? api.topics("").then((answer) => answer.topics) : [],
    run.clusters > 0 ? api.clusters("largest", 1, shownClusters).then((answer) => answer.clusters) : [],
  ]);
  const largestTopic = Math.max(0, ...topics.map((topic) => topic.pages));
  const largest = clusters[0]?.size ?? 0;
  return {
    title: run.name,
    content: [
      heading("Run ", foreign(run.name, 80)),
      h(
        "ul",
        { class: "tiles" },
        tile(run.urls, "URL", "report"),
        tile(run.clusters, "cluster", "clusters"),
        tile(run.topics, "topic", "topics"),
      ),
      h(
        "div",
        { class: "columns" },
        section(
          "Largest topics",
          "largest-topics",
          topics.length === 0
            ? h("p", { class: "muted" }, "This run has no topics.")
            : h(
                "ul",
                { class: "rows" },
                topics.slice(0, shownTopics).map((topic) => h("li", {}, topicRow(topic, largestTopic))),
              ),
          topics.length > 0 && h("p", {}, h("a", { href: address("topics") }, "All topics")),
        ),
        section(
          "Largest clusters",
          "largest-clusters",
          clusters.length === 0
            ? h("p", { class: "muted" }, "This run has no clusters.")
            : h(
                "ul",
                { class: "rows" },
                clusters.map((cluster) =>
                  h(
                    "li",
                    {},
                    h("div", { class: "topic-row" }, clusterLink(cluster), sizeBar(cluster.size, largest)),
                  ),
                ),
              ),
          clusters.length > 0 && h("p", {}, h("a", { href: address("clusters") }, "All clusters")),
        ),
      ),
    ],
  };
};
