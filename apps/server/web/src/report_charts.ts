// The charts of reports.
import uPlot from "uplot";
import type { DedupDistributions, DedupReport, Distributions, Report } from "./api";
import { axis, chart, type Chart } from "./charts";
import { h } from "./dom";
import { count, counted, measureOf, percent, significant } from "./text";

export interface Part {
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

interface Sizes {
  rows: readonly [size: number, number: number][];
  what: string; // "Clusters"
  members: string; // "Pages"
}

function sizeChart({ rows, what, members }: Sizes, note: string): Part {
  const sizes = rows.map(([size]) => size);
  const numbers = rows.map(([, number]) => number);
  const upTo = (values: number[]) => 10 ** Math.ceil(Math.log10(Math.max(...values) + 1));
  const largest = sizes[sizes.length - 1] ?? 1;
  const [many, of] = [what.toLowerCase(), members.toLowerCase()];
  const made = chart(
    `${what} by their number of ${of} on logarithmic axes: sizes from ${count(sizes[0] ?? 1)} to ${count(largest)}`,
    [
      { name: members, values: sizes.map(count) },
      { name: what, values: numbers.map(count) },
    ],
    (color) => ({
      options: {
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, distr: 3, range: [0.8, upTo(sizes)] },
          y: { distr: 3, range: [0.8, upTo(numbers)] },
        },
        axes: [logarithmic(color, `${of} of a ${many.slice(0, -1)}`, 30), logarithmic(color, many, 56)],
        series: [
          {},
          {
            label: many,
            stroke: color("accent"),
            paths: () => null,
            points: { show: true, size: 7, fill: color("accent") },
          },
        ],
      },
      data: [sizes, numbers],
    }),
  );
  return part(note, made);
}

export function clusterSizeChart({ cluster_sizes }: Distributions): Part {
  if (cluster_sizes.length === 0) return without("The run has no clusters.");
  return sizeChart(
    { rows: cluster_sizes, what: "Clusters", members: "Pages" },
    "How many clusters have how many pages. URLs in no cluster count as clusters of one page.",
  );
}

export function groupSizeChart({ group_sizes }: DedupDistributions): Part {
  if (group_sizes.length === 0) return without("The run has no groups.");
  return sizeChart(
    { rows: group_sizes, what: "Groups", members: "Documents" },
    "How many groups have how many documents.",
  );
}

// Counts by equal parts of [0, 1]. `what`: of what they are.
function histogram(counts: readonly number[], what: string, label: string, note: string): Part {
  const step = 1 / counts.length;
  const ends = counts.map((_, i) => (i + 1) * step);
  const made = chart(
    label,
    [
      { name: "Similarity", values: ends.map((end) => `${(end - step).toFixed(2)} to ${end.toFixed(2)}`) },
      { name: what, values: counts.map(count) },
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
          axis(color, what, {
            size: 56,
            values: (_, values) => values.map((value) => (Number.isInteger(value) ? count(value) : "")),
          }),
        ],
        series: [
          {},
          {
            label: what,
            stroke: color("accent"),
            fill: color("accent-soft"),
            paths: uPlot.paths.bars!({ size: [1, 100], align: 1, gap: 2 }),
            points: { show: false },
          },
        ],
      },
      data: [ends.map((end) => end - step), [...counts]],
    }),
  );
  return part(note, made);
}

export function nearestChart({ nearest_similarity: nearest }: Distributions): Part {
  if (nearest.sampled === 0) return without("The run has no URLs.");
  const sample = nearest.sampled === 1 ? "one URL" : `${count(nearest.sampled)} URLs`;
  const none = nearest.without > 0 ? ` ${counted(nearest.without, "URL")} of these have no neighbour.` : "";
  return histogram(
    nearest.urls,
    "URLs",
    `Histogram of the similarity of the nearest neighbour of ${counted(nearest.sampled, "URL")}`,
    `How similar the most similar page is, for ${sample} of the run.${none}`,
  );
}

export function pairChart(report: DedupReport, { pair_similarity: pairs }: DedupDistributions): Part {
  if (pairs.sampled === 0) {
    return without("The run has no pairs of different documents that are similar.");
  }
  const measure = measureOf(report.options);
  const sample = pairs.sampled < pairs.pairs ? `, for ${count(pairs.sampled)} of ${count(pairs.pairs)}` : "";
  return histogram(
    pairs.counts,
    "pairs",
    `Histogram of the ${measure} of ${counted(pairs.sampled, "pair")}`,
    `The ${measure} of the pairs of different documents that were found${sample}. ` +
      "Documents with equal shingles are in no pair here.",
  );
}

interface Recall {
  curve: readonly [similarity: number, chance: number][];
  at: number; // the threshold
  share: number | null; // found of the pairs above it; null: not measured
  measured: string; // the same as a sentence
  promised: number;
  reason: string; // why there is no curve
}

// `queries` of what was compared with all others; 0: the recall was not measured.
function measured(
  recall: number,
  pairs: number,
  queries: number,
  what: string,
): Pick<Recall, "share" | "measured"> {
  if (queries === 0) return { share: null, measured: "The recall of this run was not measured." };
  return {
    share: recall,
    measured:
      `Measured: ${percent(recall)} of ${counted(pairs, "pair")} at or above the threshold, ` +
      `by ${counted(queries, what)} against all others.`,
  };
}

export function recallChart(report: Report, { s_curve }: Distributions): Part {
  const { check, threshold, engine } = report;
  return recallPart({
    curve: s_curve,
    at: threshold.similarity,
    ...measured(check.pair_recall, check.true_pairs, check.queries, "URL"),
    promised: check.promised,
    reason:
      engine.engine === "exact"
        ? "The exact engine compares all pages that share a word, and so finds every pair."
        : "This run has no curve for its engine.",
  });
}

export function dedupRecallChart(report: DedupReport, { s_curve }: DedupDistributions): Part {
  const { check, options } = report;
  return recallPart({
    curve: s_curve,
    at: options.similarity,
    ...measured(check.recall, check.true_pairs, check.queries, "document"),
    promised: check.promised,
    reason: "This run has no curve for its method.",
  });
}

// The chance of a pair to be found, and what was found of the pairs above the threshold.
function recallPart({ curve: s_curve, at, share, measured, promised, reason }: Recall): Part {
  if (s_curve.length === 0) return without(`${reason} ${measured}`);
  const points = [...new Set([...s_curve.map(([x]) => x), at])].sort((a, b) => a - b);
  const curve = new Map(s_curve);
  const data: uPlot.AlignedData = [
    points,
    points.map((x) => curve.get(x) ?? null),
    points.map((x) => (share !== null && x >= at ? share : null)),
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
    share !== null &&
      h(
        "li",
        {},
        h("span", { class: "stroke second", "aria-hidden": "true" }),
        "Measured, all pairs at or above the threshold",
      ),
    h("li", {}, h("span", { class: "stroke third", "aria-hidden": "true" }), `Threshold, ${significant(at)}`),
  );
  const promise = share !== null && promised > 0 ? ` Promised at the threshold: ${percent(promised)}.` : "";
  return {
    element: h("div", {}, h("p", { class: "muted" }, measured + promise), key, made.element),
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
