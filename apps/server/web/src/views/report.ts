// The report of the run: what was read, made and measured.
import { api, type Report } from "../api";
import { h } from "../dom";
import { facts, heading, scrolling, section } from "../parts";
import { clusterSizeChart, nearestChart, recallChart } from "../report_charts";
import { stageTable } from "../stage_table";
import { bytes, count, counted, foreign, percent, similarity } from "../text";
import type { View } from "../view";

const skipNames: Record<string, [one: string, many: string]> = {
  other_record: ["record that is no page by its type", "records that are no pages by their type"],
  status: ["record with another HTTP status", "records with another HTTP status"],
  media_type: ["record of another media type", "records of another media type"],
  bad_url: ["record without a usable URL", "records without a usable URL"],
  duplicate: ["later capture of a URL", "later captures of a URL"],
  damaged: ["damaged record", "damaged records"],
  empty: ["empty record", "empty records"],
};

function skipName(kind: string): [one: string, many: string] {
  return skipNames[kind] ?? [kind, kind];
}

function counts(report: Report): HTMLElement {
  const { crawl, bags, text, clusters, topics, check } = report;
  return h(
    "div",
    { class: "columns even" },
    facts([
      ["Input", foreign(report.options.inputs.join(", "), 160)],
      ["Records", `${count(crawl.records)} in ${counted(crawl.files, "file")}, ${bytes(crawl.bytes_in)}`],
      ["Pages", `${count(crawl.pages)}, ${bytes(crawl.page_bytes)} of text and markup`],
      ["Words, links", `${count(text.words)}, ${count(text.links)}`],
      ["URLs", `${count(bags.urls)}, ${count(bags.fetched)} of them in the crawl`],
      ["Different words", count(bags.terms)],
      [
        "Boilerplate",
        `${count(report.boilerplate.left_out)} of ${count(report.boilerplate.words)} words left out`,
      ],
    ]),
    facts([
      [
        "Clusters",
        `${count(clusters.clusters)} with ${counted(clusters.clustered, "URL")}; the largest has ${count(clusters.largest)}`,
      ],
      ["In no cluster", counted(clusters.singles, "URL")],
      [
        "Topics",
        topics.levels.length > 0
          ? `${count(topics.topics)} on ${counted(topics.levels.length, "level")}`
          : "none",
      ],
      [
        "Threshold",
        [
          `similarity ${similarity(report.threshold.similarity)}`,
          h("span", { class: "muted" }, ": ", foreign(report.threshold.reason, 300)),
        ],
      ],
      [
        "Engine",
        [
          foreign(report.engine.engine),
          h("span", { class: "muted" }, ": ", foreign(report.engine.reason, 400)),
        ],
      ],
      [
        "Recall",
        check.queries > 0
          ? `${percent(check.pair_recall)} of pairs, measured on ${counted(check.queries, "URL")}`
          : "not measured",
      ],
      ["Memory", `${bytes(report.peak_memory)} at most, ${counted(report.threads, "thread")}`],
    ]),
  );
}

function skipped(report: Report): HTMLElement {
  const { skipped, examples } = report.crawl;
  if (skipped.length === 0) return h("p", {}, "No record was skipped.");
  const list = skipped.map(([kind, number]) => h("li", {}, counted(number, ...skipName(kind))));
  const rows = examples.map((example) =>
    h(
      "tr",
      {},
      h("td", {}, skipName(example.kind)[0]),
      h("td", {}, foreign(example.reason, 200)),
      h("td", {}, foreign(example.file, 120)),
      h("td", { class: "number" }, count(example.offset)),
    ),
  );
  const head = h(
    "tr",
    {},
    ["Kind", "Reason", "File"].map((name) => h("th", { scope: "col" }, name)),
    h("th", { scope: "col", class: "number" }, "Byte"),
  );
  return h(
    "div",
    {},
    h("ul", {}, list),
    rows.length > 0 && h("h3", {}, "Examples"),
    rows.length > 0 &&
      scrolling(
        "Examples of skipped records",
        h("table", { class: "list" }, h("thead", {}, head), h("tbody", {}, rows)),
      ),
  );
}

export const reportView: View = async (_, run) => {
  const { report, distributions } = await api.report();
  const sizes = clusterSizeChart(distributions);
  const nearest = nearestChart(distributions);
  const recall = recallChart(report, distributions);
  const charts = [sizes, nearest, recall].flatMap((part) => part.chart ?? []);
  return {
    title: "Report",
    content: [
      heading("Report of ", foreign(run.name, 80)),
      section("Counts", "counts", counts(report)),
      section("Times", "times", stageTable(report)),
      h(
        "div",
        { class: "columns even" },
        section("Sizes of clusters", "sizes", sizes.element),
        section("Similarity of the nearest neighbour", "nearest", nearest.element),
        section("Recall by similarity", "recall", recall.element),
        section("Skipped records", "skipped", skipped(report)),
      ),
    ],
    opened: () => charts.forEach((part) => part.opened()),
    close: () => charts.forEach((part) => part.close()),
  };
};
