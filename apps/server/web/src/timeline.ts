// When the pages of the input were captured: a bar for every month, or year.
import type { CrawlCounts } from "./api";
import { h } from "./dom";
import { bar, scrolling } from "./parts";
import { count } from "./text";

// Of more months the bars would fill the page.
const mostMonths = 36;

function byYear(months: readonly [string, number][]): [string, number][] {
  const years = new Map<string, number>();
  for (const [month, pages] of months) {
    const year = month.slice(0, 4);
    years.set(year, (years.get(year) ?? 0) + pages);
  }
  return [...years];
}

export function timeline({ months }: CrawlCounts): HTMLElement {
  if (months.length === 0) return h("p", { class: "muted" }, "The input says of no page when it was captured.");
  const areMonths = months.length <= mostMonths;
  const bars = areMonths ? months : byYear(months);
  const most = Math.max(...bars.map(([, pages]) => pages));
  const rows = bars.map(([time, pages]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, time),
      h("td", { class: "number" }, count(pages)),
      h("td", { class: "time-bar" }, bar(pages / most)),
    ),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, areMonths ? "Month" : "Year"),
    h("th", { scope: "col", class: "number" }, "Pages"),
    h("td", {}),
  );
  return scrolling(
    "Pages by the time of their capture",
    h("table", { class: "list stages" }, h("thead", {}, head), h("tbody", {}, rows)),
  );
}
