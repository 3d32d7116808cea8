// The report of the run: what was read, made and measured.
import { api, type Distributions, type Report } from "../api";
import { h } from "../dom";
import { facts, heading, section } from "../parts";
import { clusterSizeChart, nearestChart, recallChart } from "../report_charts";
import { skippedRecords } from "../skipped_records";
import { stageTable } from "../stage_table";
import { bytes, count, counted, foreign, percent, similarity } from "../text";
import { timeline } from "../timeline";
import type { View, ViewResult } from "../view";

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
        `${count(clusters.clusters)} with ${counted(clusters.clustered, "URL")}; ` +
          `the largest has ${count(clusters.largest)}`,
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

// The report as a view, of answers of the server or of a file.
export function reportOf(name: string, report: Report, distributions: Distributions): ViewResult {
  const sizes = clusterSizeChart(distributions);
  const nearest = nearestChart(distributions);
  const recall = recallChart(report, distributions);
  const charts = [sizes, nearest, recall].flatMap((part) => part.chart ?? []);
  return {
    title: `Report of ${name}`,
    content: [
      heading("Report of ", foreign(name, 80)),
      section("Counts", "counts", counts(report)),
      section("Times", "times", stageTable(report)),
      h(
        "div",
        { class: "columns even" },
        section("Sizes of clusters", "sizes", sizes.element),
        section("Similarity of the nearest neighbour", "nearest", nearest.element),
        section("Recall by similarity", "recall", recall.element),
        section("Time of capture", "timeline", timeline(report.crawl)),
        section("Skipped records", "skipped", skippedRecords(report.crawl)),
      ),
    ],
    opened: () => charts.forEach((part) => part.opened()),
    close: () => charts.forEach((part) => part.close()),
  };
}

export const reportView: View = async (_, run) => {
  const { report, distributions } = await api.report();
  return { ...reportOf(run.name, report, distributions), title: "Report" };
};
