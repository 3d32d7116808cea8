// Addresses of views: "#/page?url=…". The run is a part of them unless it is the first.
import { runName, type Query } from "./api";

export interface Route {
  view: string; // "" is the start
  parameters: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  return { view: path, parameters: new URLSearchParams(query) };
}

export function address(view: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) parameters.set(name, String(value));
  }
  if (runName() !== "" && !parameters.has("run")) parameters.set("run", runName());
  const text = parameters.toString();
  return `#/${view}${text === "" ? "" : `?${text}`}`;
}

// A whole number of at least 1.
export function pageNumber(parameters: URLSearchParams, name = "page"): number {
  const value = Number(parameters.get(name) ?? "1");
  return Number.isInteger(value) && value >= 1 ? value : 1;
}
