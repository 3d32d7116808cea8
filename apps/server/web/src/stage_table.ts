// The times of a run beside those of Table 1 in Haveliwala, Gionis and Indyk, "Scalable Techniques
// for Clustering the Web" (2000).
import type { Report, Stage } from "./api";
import { h } from "./dom";
import { bar, scrolling } from "./parts";
import { count, seconds, significant } from "./text";

const paperUrls = 20_000_000;

interface PaperStep {
  name: string;
  hours: number;
}

// The stages of a run and the rows of the table that do the same.
const paperSteps: Record<string, PaperStep> = {
  bags: { name: "bag generation, bag sorting", hours: 23 + 4.7 },
  sketch: { name: "MH-signature generation", hours: 26 },
  pairs: { name: "pair generation, filtering, sorting", hours: 16 + 83 + 107 },
  cluster: { name: "CENTER", hours: 18 },
};

// The same for the steps of a run by the paper.
const stepsByThePaper: Record<string, PaperStep> = {
  bags: { name: "bag generation, bag sorting", hours: 23 + 4.7 },
  signatures: { name: "MH-signature generation", hours: 26 },
  pairs: { name: "pair generation", hours: 16 },
  filter: { name: "filtering", hours: 83 },
  sort: { name: "sorting, with the step repeats", hours: 107 },
  center: { name: "CENTER", hours: 18 },
};

function perUrl(time: number, urls: number): string {
  return urls > 0 ? `${significant((1000 * time) / urls)} ms` : "–";
}

// The steps of a run by the paper stand in for the stages that they are parts of.
function stagesOf(report: Report): Stage[] {
  if (report.steps.length === 0) return report.stages;
  const whole = report.stages.filter(({ stage }) => stage !== "pairs" && stage !== "cluster");
  const before = whole.filter(({ stage }) => stage === "bags" || stage === "plan");
  return [...before, ...report.steps, ...whole.filter((stage) => !before.includes(stage))];
}

// Of a row: the name of a stage, its time, and a bar beside that of the longest stage.
export function stageCells(stage: Stage, longest: number): HTMLElement[] {
  return [
    h(
      "th",
      { scope: "row" },
      stage.stage,
      stage.reused && h("span", { class: "muted" }, " (from an earlier run)"),
    ),
    h("td", { class: "number" }, seconds(stage.seconds)),
    h("td", { class: "time-bar" }, bar(longest > 0 ? stage.seconds / longest : 0)),
  ];
}

export function stageTable(report: Report): HTMLElement {
  const steps = report.steps.length > 0 ? stepsByThePaper : paperSteps;
  const stages = stagesOf(report);
  const longest = Math.max(0, ...stages.map((stage) => stage.seconds));
  const urls = report.bags.urls;
  const rows = stages.map((stage) => {
    const step = steps[stage.stage];
    const number = (text: string) => h("td", { class: "number" }, text);
    return h(
      "tr",
      {},
      stageCells(stage, longest),
      number(perUrl(stage.seconds, urls)),
      h("td", {}, step?.name ?? "–"),
      number(step ? `${significant(step.hours)} h` : "–"),
      number(step ? perUrl(3600 * step.hours, paperUrls) : "–"),
    );
  });
  const total = stages.reduce((sum, stage) => sum + stage.seconds, 0);
  const hours = Object.values(steps).reduce((sum, step) => sum + step.hours, 0);
  const column = (name: string, isNumber = true) =>
    h("th", { scope: "col", class: isNumber ? "number" : undefined }, name);
  const table = h(
    "table",
    { class: "list stages" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        h("th", { scope: "colgroup", colspan: 3 }, "This run"),
        h("th", { scope: "colgroup", colspan: 3 }, "The paper"),
      ),
      h(
        "tr",
        {},
        column("Stage", false),
        column("Time"),
        h("td", {}),
        column("Per URL"),
        column("Step", false),
        column("Time"),
        column("Per URL"),
      ),
    ),
    h("tbody", {}, rows),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row" }, "together"),
        h("td", { class: "number" }, seconds(total)),
        h("td", {}),
        h("td", { class: "number" }, perUrl(total, urls)),
        h("td", {}),
        h("td", { class: "number" }, `${significant(hours)} h`),
        h("td", { class: "number" }, perUrl(3600 * hours, paperUrls)),
      ),
    ),
  );
  return h(
    "div",
    {},
    scrolling("Times of the stages", table),
    h(
      "p",
      { class: "muted" },
      `This run has ${count(urls)} URLs and used ${report.threads} threads. ` +
        "The paper is Haveliwala, Gionis and Indyk, “Scalable Techniques for Clustering the Web” (2000): " +
        "Table 1, for 20 million URLs on dual Pentium II machines of 300 and 450 MHz; " +
        "the times of sorting and CENTER are estimates of its authors.",
    ),
  );
}
