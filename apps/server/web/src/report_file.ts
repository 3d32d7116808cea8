// The report of a run as a file of its own (kith report --html): what it shows stands in it.
import type { DedupDistributions, DedupReport, Distributions, Report } from "./api";
import { byId, h } from "./dom";
import { plain } from "./text";
import type { ViewResult } from "./view";
import { dedupReportOf } from "./views/dedup_report";
import { reportOf } from "./views/report";

type Content =
  | { kind: "cluster"; name: string; report: Report; distributions: Distributions }
  | { kind: "dedup"; name: string; report: DedupReport; distributions: DedupDistributions };

function resultOf(content: Content): ViewResult {
  return content.kind === "dedup"
    ? dedupReportOf(content.name, content.report, content.distributions)
    : reportOf(content.name, content.report, content.distributions);
}

const result = resultOf(JSON.parse(byId("content").textContent ?? "") as Content);
byId("main").replaceChildren(h("div", { class: "view view-report" }, result.content));
document.title = `${plain(result.title, 80)} – kith`;
result.opened?.();
