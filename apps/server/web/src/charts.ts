// Charts by uPlot, in the colors of the page, each with its numbers as a table.
import uPlot from "uplot";
import { h } from "./dom";

const chartHeight = 260;

export interface Chart {
  element: HTMLElement;
  opened: () => void;
  close: () => void;
}

// Of a column of numbers in the table below a chart.
export interface Column {
  name: string;
  values: readonly (number | string)[];
}

type Make = (color: (name: string) => string) => {
  options: Omit<uPlot.Options, "width" | "height">;
  data: uPlot.AlignedData;
};

function numbers(columns: readonly Column[], label: string): HTMLElement {
  const rows = (columns[0]?.values ?? []).map((_, i) =>
    h(
      "tr",
      {},
      columns.map((column) => h("td", { class: "number" }, column.values[i])),
    ),
  );
  return h(
    "details",
    {},
    h("summary", {}, "Numbers"),
    h(
      "div",
      { class: "scrolling numbers", role: "region", "aria-label": `Numbers: ${label}`, tabindex: "0" },
      h(
        "table",
        { class: "list" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            columns.map((column) => h("th", { scope: "col", class: "number" }, column.name)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
}

// `label` says what the chart shows, for those who do not see it.
export function chart(label: string, columns: readonly Column[], make: Make): Chart {
  const canvas = h("div", { class: "chart", role: "img", "aria-label": label });
  const element = h("div", {}, canvas, numbers(columns, label));
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let plot: uPlot | null = null;
  const draw = () => {
    plot?.destroy();
    const style = getComputedStyle(canvas);
    const { options, data } = make((name) => style.getPropertyValue(`--${name}`).trim());
    plot = new uPlot(
      { ...options, width: Math.max(200, canvas.clientWidth), height: chartHeight },
      data,
      canvas,
    );
  };
  const observer = new ResizeObserver(() => {
    const width = Math.max(200, canvas.clientWidth);
    if (plot && plot.width !== width) plot.setSize({ width, height: chartHeight });
  });
  return {
    element,
    opened: () => {
      draw();
      observer.observe(canvas);
      dark.addEventListener("change", draw);
    },
    close: () => {
      observer.disconnect();
      dark.removeEventListener("change", draw);
      plot?.destroy();
    },
  };
}

export function axis(color: (name: string) => string, label: string, more: uPlot.Axis = {}): uPlot.Axis {
  const font = "12px system-ui, sans-serif";
  return {
    label,
    labelFont: font,
    labelSize: 22,
    labelGap: 2,
    font,
    stroke: color("muted"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { stroke: color("line"), width: 1, size: 4 },
    ...more,
  };
}
