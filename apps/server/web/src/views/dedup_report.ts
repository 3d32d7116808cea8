// The report of a run of kith dedup: what was read, found and measured.
import { api, type DedupDistributions, type DedupReport, type Stage } from "../api";
import { h } from "../dom";
import { facts, heading, scrolling, section } from "../parts";
import { dedupRecallChart, groupSizeChart, pairChart } from "../report_charts";
import { skippedRecords } from "../skipped_records";
import { stageCells } from "../stage_table";
import { bytes, count, counted, foreign, measureOf, percent, seconds, similarity } from "../text";
import { timeline } from "../timeline";
import type { DedupView, ViewResult } from "../view";

function counts(report: DedupReport): HTMLElement {
  const { crawl, documents, pairs, groups, check, options, against } = report;
  const kept = documents.documents - groups.removed - against.removed;
  return h(
    "div",
    { class: "columns even" },
    facts([
      ["Input", foreign(options.inputs.join(", "), 160)],
      ["Records", `${count(crawl.records)} in ${counted(crawl.files, "file")}, ${bytes(crawl.bytes_in)}`],
      ["Documents", `${count(documents.documents)}, ${bytes(documents.text_bytes)} of text`],
      ["Without text", count(documents.empty)],
      ["Too long", count(documents.cut)],
      ["Shingles", `${count(documents.elements)}, of ${options.width} ${options.shingles}`],
      ["Memory", `${bytes(report.peak_memory)} at most, ${counted(report.threads, "thread")}`],
    ]),
    facts([
      ["Kept", counted(kept, "document")],
      ["Removed", counted(groups.removed, "document")],
      ...(against.removed > 0
        ? [
            ["Earlier runs", `${counted(against.removed, "document")} removed that they have`] as [
              string,
              string,
            ],
          ]
        : []),
      ["Groups", `${count(groups.groups)}; the largest has ${count(groups.largest)} documents`],
      ["Equal", `${counted(pairs.duplicates, "document")} with the shingles of an earlier one`],
      ["Pairs", `${count(pairs.similar)} similar of ${count(pairs.candidates)} compared`],
      ["Method", `${options.method}, ${measureOf(options)} ${similarity(options.similarity)} or more`],
      ["Grouping", `${options.groups}, kept is the ${options.keep}`],
      [
        "Recall",
        check.queries > 0
          ? `${percent(check.recall)} of pairs, measured on ${counted(check.queries, "document")}`
          : "not measured",
      ],
    ]),
  );
}

function stageTimes(stages: readonly Stage[], documents: number): HTMLElement {
  const longest = Math.max(0, ...stages.map((stage) => stage.seconds));
  const rows = stages.map((stage) =>
    h(
      "tr",
      {},
      stageCells(stage, longest),
      h("td", { class: "number" }, documents > 0 ? seconds(stage.seconds / documents) : "–"),
    ),
  );
  const column = (name: string, isNumber: boolean) =>
    h("th", { scope: "col", class: isNumber ? "number" : undefined }, name);
  const head = [column("Stage", false), column("Time", true), h("td", {}), column("Per document", true)];
  const table = h("table", { class: "list stages" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
  return scrolling("Times of the stages", table);
}

function largestGroups(report: DedupReport): HTMLElement {
  const { largest_groups: groups } = report.groups;
  if (groups.length === 0) return h("p", { class: "muted" }, "No document of this run is like another.");
  const rows = groups.map((group) =>
    h("tr", {}, h("td", { class: "number" }, count(group.documents)), h("td", {}, foreign(group.kept))),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col", class: "number" }, "Documents"),
    h("th", { scope: "col" }, "Kept document"),
  );
  return scrolling(
    "The largest groups",
    h("table", { class: "list" }, h("thead", {}, head), h("tbody", {}, rows)),
  );
}

// The report as a view, of answers of the server or of a file.
export function dedupReportOf(
  name: string,
  report: DedupReport,
  distributions: DedupDistributions,
): ViewResult {
  const sizes = groupSizeChart(distributions);
  const pairs = pairChart(report, distributions);
  const recall = dedupRecallChart(report, distributions);
  const charts = [sizes, pairs, recall].flatMap((part) => part.chart ?? []);
  return {
    title: `Report of ${name}`,
    content: [
      heading("Report of ", foreign(name, 80)),
      section("Counts", "counts", counts(report)),
      section("Times", "times", stageTimes(report.stages, report.documents.documents)),
      h(
        "div",
        { class: "columns even" },
        section("Sizes of groups", "sizes", sizes.element),
        section("Similarity of pairs", "pairs", pairs.element),
        section("Recall by similarity", "recall", recall.element),
        section("Largest groups", "largest", largestGroups(report)),
        section("Time of capture", "timeline", timeline(report.crawl)),
        section("Skipped records", "skipped", skippedRecords(report.crawl)),
      ),
    ],
    opened: () => charts.forEach((part) => part.opened()),
    close: () => charts.forEach((part) => part.close()),
  };
}

export const dedupReportView: DedupView = async (_, run) => {
  const { report, distributions } = await api.dedupReport();
  return { ...dedupReportOf(run.name, report, distributions), title: "Report" };
};
