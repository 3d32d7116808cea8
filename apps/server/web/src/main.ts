// The page as a whole: its head, and one view at a time, which the address chooses.
import { api, ApiError, runName, setRun, type RunHead } from "./api";
import { announce, byId, h } from "./dom";
import { heading, setReplay } from "./parts";
import { address, parseRoute } from "./route";
import { SearchBox } from "./search_box";
import { foreign, plain } from "./text";
import type { AnyView, DedupView, View, ViewResult } from "./view";
import { clusterView } from "./views/cluster";
import { clustersView } from "./views/clusters";
import { compareView } from "./views/compare";
import { dedupReportView } from "./views/dedup_report";
import { dedupStartView } from "./views/dedup_start";
import { documentView } from "./views/document";
import { groupView } from "./views/group";
import { groupsView } from "./views/groups";
import { overlapView } from "./views/overlap";
import { pageView } from "./views/page";
import { reportView } from "./views/report";
import { searchView } from "./views/search";
import { startView } from "./views/start";
import { topicView } from "./views/topic";
import { topicsView } from "./views/topics";

const views: Record<string, View> = {
  "": startView,
  search: searchView,
  page: pageView,
  topics: topicsView,
  topic: topicView,
  clusters: clustersView,
  cluster: clusterView,
  compare: compareView,
  report: reportView,
};

const dedupViews: Record<string, DedupView> = {
  "": dedupStartView,
  search: searchView,
  groups: groupsView,
  group: groupView,
  document: documentView,
  overlap: overlapView,
  report: dedupReportView,
};

type Menu = [view: string, name: string, others: string[]][];

const menus: Record<RunHead["kind"], Menu> = {
  cluster: [
    ["topics", "Topics", ["topic"]],
    ["clusters", "Clusters", ["cluster"]],
    ["compare", "Compare", []],
    ["report", "Report", []],
  ],
  dedup: [
    ["groups", "Groups", ["group"]],
    ["overlap", "Compare", []],
    ["report", "Report", []],
  ],
};

const searchHints: Record<RunHead["kind"], string> = {
  cluster: "URL, host or words",
  dedup: "A part of a name",
};

const searchBox = new SearchBox();
let runs: RunHead[] = [];
let shown = 0; // counts views, so that a late answer to an earlier question is dropped
let current: ViewResult | null = null;

function drawHead(view: string): void {
  byId("views").replaceChildren(
    h(
      "ul",
      {},
      menus[currentRunHead()?.kind ?? "cluster"].map(([name, text, others]) => {
        const isCurrent = view === name || others.includes(view);
        return h("li", {}, h("a", { href: address(name), "aria-current": isCurrent && "true" }, text));
      }),
    ),
  );
  document.querySelector(".brand")?.setAttribute("href", address(""));
  if (runs.length < 2) return;
  const names = runs.map((run) =>
    h("option", { value: run.name, selected: run.name === currentRunHead()?.name }, plain(run.name, 60)),
  );
  const select = h(
    "select",
    { id: "run", change: (event) => chooseRun(event.target as HTMLSelectElement) },
    names,
  );
  byId("runs").replaceChildren(h("label", { for: "run" }, "Run "), select);
}

function currentRunHead(): RunHead | undefined {
  return runs.find((run) => run.name === runName()) ?? (runName() === "" ? runs[0] : undefined);
}

// Views that every run has stay; a page or a cluster of one run is none of the other.
function chooseRun(select: HTMLSelectElement): void {
  const { view } = parseRoute(location.hash);
  setRun(select.value === runs[0]?.name ? "" : select.value);
  const kind = runs.find((run) => run.name === select.value)?.kind ?? "cluster";
  const stays = menus[kind].some(([name]) => name === view);
  location.hash = address(stays ? view : "");
}

// Null where runs of this kind have no such view.
function viewOf(name: string, run: RunHead): AnyView | null {
  const make = run.kind === "dedup" ? dedupViews[name] : views[name];
  return (make as AnyView | undefined) ?? null;
}

function errorResult(error: unknown): ViewResult {
  if (!(error instanceof ApiError)) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  const title = error instanceof ApiError && error.status === 404 ? "Not found" : "This did not work";
  return {
    title,
    content: [heading(title), h("p", { class: "error" }, foreign(message, 600))],
  };
}

async function render(isFirst: boolean): Promise<void> {
  const number = ++shown;
  const main = byId("main");
  const { view, parameters } = parseRoute(location.hash);
  setRun(parameters.get("run") ?? "");
  main.setAttribute("aria-busy", "true");
  let result: ViewResult;
  let isView = false;
  try {
    if (runs.length === 0) {
      const answer = await api.runs();
      ({ runs } = answer);
      setReplay(answer.replay ?? "");
    }
    const run = currentRunHead();
    if (!run) throw new ApiError(404, `The server has no run ${runName()}.`);
    const make = viewOf(view, run);
    if (!make) throw new ApiError(404, "This page has no such view of this run.");
    isView = true;
    result = await make(parameters, run);
  } catch (error) {
    result = errorResult(error);
  }
  if (number !== shown) return;
  current?.close?.();
  current = result;
  drawHead(view);
  searchBox.hint = searchHints[currentRunHead()?.kind ?? "cluster"];
  searchBox.text = view === "search" ? (parameters.get("q") ?? "") : "";
  main.replaceChildren(h("div", { class: `view view-${isView ? view || "start" : "none"}` }, result.content));
  main.removeAttribute("aria-busy");
  result.opened?.();
  document.title = `${plain(result.title, 80)} – kith`;
  restoreScroll();
  if (isFirst) return;
  main.querySelector("h1")?.focus({ preventScroll: true });
  announce(plain(result.title, 80));
}

// A view that is gone back to is where it was left.
function restoreScroll(): void {
  const y = (history.state as { y?: number } | null)?.y;
  window.scrollTo({ top: typeof y === "number" ? y : 0, behavior: "instant" });
}

// Between a change of the address and its view, what scrolls is the view before, which is not to be
// remembered as the place of this one.
function rememberScroll(): void {
  let timer = 0;
  window.addEventListener("scroll", () => {
    window.clearTimeout(timer);
    if (byId("main").hasAttribute("aria-busy")) return;
    timer = window.setTimeout(() => history.replaceState({ y: window.scrollY }, ""), 100);
  });
  for (const change of ["popstate", "hashchange"]) {
    window.addEventListener(change, () => window.clearTimeout(timer));
  }
}

// "#main" would be taken for an address of a view.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
history.scrollRestoration = "manual";
byId("search").append(searchBox.element);
rememberScroll();
window.addEventListener("hashchange", () => void render(false));
void render(true);
