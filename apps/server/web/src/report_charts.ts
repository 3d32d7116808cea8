// The three charts of the report.
import uPlot from "uplot";
import type { Distributions, Report } from "./api";
import { axis, chart, type Chart } from "./charts";
import { h } from "./dom";
import { count, counted, percent, significant } from "./text";

interface Part {
  element: HTMLElement;
  chart?: Chart;
}

function part(note: string, made: Chart): Part {
  return { element: h("div", {}, h("p", { class: "muted" }, note), made.element), chart: made };
}

function without(note: string): Part {
  return { element: h("p", { class: "muted" }, note) };
}

// Only powers of ten have lines and numbers: the others would cover each other.
function logarithmic(color: (name: string) => string, label: string, size: number): uPlot.Axis {
  const filter = (_: uPlot, values: number[]) =>
    values.map((value) => (Number.isInteger(Math.log10(value)) ? value : null));
  const made = axis(color, label, {
    size,
    filter,
    values: (_, values) => values.map((value) => (value === null ? "" : count(value))),
  });
  return { ...made, grid: { ...made.grid, filter }, ticks: { ...made.ticks, filter } };
}

export function clusterSizeChart({ cluster_sizes }: Distributions): Part {
  if (cluster_sizes.length === 0) return without("The run has no clusters.");
  const sizes = cluster_sizes.map(([size]) => size);
  const clusters = cluster_sizes.map(([, number]) => number);
  const upTo = (values: number[]) => 10 ** Math.ceil(Math.log10(Math.max(...values) + 1));
  const largest = sizes[sizes.length - 1] ?? 1;
  const made = chart(
    `Clusters by their number of pages on logarithmic axes: sizes from 1 to ${count(largest)}`,
    [
      { name: "Pages", values: sizes.map(count) },
      { name: "Clusters", values: clusters.map(count) },
    ],
    (color) => ({
      options: {
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, distr: 3, range: [0.8, upTo(sizes)] },
          y: { distr: 3, range: [0.8, upTo(clusters)] },
        },
        axes: [logarithmic(color, "pages of a cluster", 30), logarithmic(color, "clusters", 56)],
        series: [
          {},
          {
            label: "clusters",
            stroke: color("accent"),
            paths: () => null,
            points: { show: true, size: 7, fill: color("accent") },
          },
        ],
      },
      data: [sizes, clusters],
    }),
  );
  return part(
    "How many clusters have how many pages. URLs in no cluster count as clusters of one page.",
    made,
  );
}

export function nearestChart({ nearest_similarity: nearest }: Distributions): Part {
  if (nearest.sampled === 0) return without("The run has no URLs.");
  const step = 1 / nearest.urls.length;
  const ends = nearest.urls.map((_, i) => (i + 1) * step);
  const made = chart(
    `Histogram of the similarity of the nearest neighbour of ${counted(nearest.sampled, "URL")}`,
    [
      { name: "Similarity", values: ends.map((end) => `${(end - step).toFixed(2)} to ${end.toFixed(2)}`) },
      { name: "URLs", values: nearest.urls.map(count) },
    ],
    (color) => ({
      options: {
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: [0, 1] },
          y: { range: (_, __, high) => [0, Math.max(1, high * 1.05)] },
        },
        axes: [
          axis(color, "similarity", { size: 30 }),
          axis(color, "URLs", {
            size: 56,
            values: (_, values) => values.map((value) => (Number.isInteger(value) ? count(value) : "")),
          }),
        ],
        series: [
          {},
          {
            label: "URLs",
            stroke: color("accent"),
            fill: color("accent-soft"),
            paths: uPlot.paths.bars!({ size: [1, 100], align: 1, gap: 2 }),
            points: { show: false },
          },
        ],
      },
      data: [ends.map((end) => end - step), nearest.urls],
    }),
  );
  const sample = nearest.sampled === 1 ? "one URL" : `${count(nearest.sampled)} URLs`;
  const none = nearest.without > 0 ? ` ${counted(nearest.without, "URL")} of these have no neighbour.` : "";
  return part(`How similar the most similar page is, for ${sample} of the run.${none}`, made);
}

// The chance of a pair to be found, and what was found of the pairs above the threshold.
export function recallChart(report: Report, { s_curve }: Distributions): Part {
  const { check, threshold, engine } = report;
  const isMeasured = check.queries > 0;
  const measured = isMeasured
    ? `Measured: ${percent(check.pair_recall)} of ${counted(check.true_pairs, "pair")} at or above the threshold, by ${counted(check.queries, "URL")} against all others.`
    : "The recall of this run was not measured.";
  if (s_curve.length === 0) {
    const reason =
      engine.engine === "exact"
        ? "The exact engine compares all pages that share a word, and so finds every pair."
        : "This run has no curve for its engine.";
    return without(`${reason} ${measured}`);
  }
  const at = threshold.similarity;
  const points = [...new Set([...s_curve.map(([x]) => x), at])].sort((a, b) => a - b);
  const curve = new Map(s_curve);
  const data: uPlot.AlignedData = [
    points,
    points.map((x) => curve.get(x) ?? null),
    points.map((x) => (isMeasured && x >= at ? check.pair_recall : null)),
  ];
  const made = chart(
    `The chance that the tables find a pair, by its similarity. ${measured}`,
    [
      { name: "Similarity", values: s_curve.map(([x]) => x.toFixed(2)) },
      { name: "Chance to be found", values: s_curve.map(([, y]) => significant(y)) },
    ],
    (color) => ({
      options: {
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: [0, 1] }, y: { range: [0, 1.04] } },
        axes: [axis(color, "similarity", { size: 30 }), axis(color, "share found", { size: 56 })],
        series: [
          {},
          {
            label: "chance to be found",
            stroke: color("accent"),
            width: 2,
            spanGaps: true,
            points: { show: false },
          },
          {
            label: "measured",
            stroke: color("second"),
            width: 3,
            dash: [8, 5],
            spanGaps: true,
            points: { show: false },
          },
        ],
        hooks: { draw: [(plot) => drawThreshold(plot, at, color("muted"))] },
      },
      data,
    }),
  );
  const key = h(
    "ul",
    { class: "plain legend" },
    h(
      "li",
      {},
      h("span", { class: "stroke first", "aria-hidden": "true" }),
      "Chance that the tables find a pair",
    ),
    isMeasured &&
      h(
        "li",
        {},
        h("span", { class: "stroke second", "aria-hidden": "true" }),
        "Measured, all pairs at or above the threshold",
      ),
    h("li", {}, h("span", { class: "stroke third", "aria-hidden": "true" }), `Threshold, ${significant(at)}`),
  );
  const promised = isMeasured ? ` Promised at the threshold: ${percent(check.promised)}.` : "";
  return {
    element: h("div", {}, h("p", { class: "muted" }, measured + promised), key, made.element),
    chart: made,
  };
}

function drawThreshold(plot: uPlot, at: number, color: string): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(at, "x", true);
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash([3, 4]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
