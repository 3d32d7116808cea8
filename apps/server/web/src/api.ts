// The questions of the page to the server. The types of the answers are made of apps/server/openapi.json when the
// page is built.
import type { components, paths } from "./openapi";

type Schemas = components["schemas"];
export type Page = Schemas["Page"];
export type Host = Schemas["Host"];
export type List = Schemas["List"];
export type ClusterRunHead = Schemas["ClusterRunHead"];
export type DedupRunHead = Schemas["DedupRunHead"];
export type RunHead = Schemas["RunHead"];
export type Related = Schemas["Related"];
export type TopicStep = Schemas["TopicStep"];
export type Topic = Schemas["Topic"];
export type ClusterHead = Schemas["ClusterHead"];
export type Cluster = Schemas["Cluster"];
export type Member = Schemas["Member"];
export type PageInfo = Schemas["PageInfo"];
export type SearchResult = Schemas["SearchResult"];
export type Estimate = Schemas["Estimate"];
export type Comparison = Schemas["Comparison"];
export type Stage = Schemas["Stage"];
export type CrawlCounts = Schemas["CrawlCounts"];
export type Report = Schemas["Report"];
export type Distributions = Schemas["Distributions"];
export type DocumentName = Schemas["DocumentName"];
export type DocumentPair = Schemas["DocumentPair"];
export type Overlap = Schemas["Overlap"];
export type Passage = Schemas["Passage"];
export type Texts = Schemas["Texts"];
export type SideBySide = Schemas["SideBySide"];
export type DedupReport = Schemas["DedupReport"];
export type DedupDistributions = Schemas["DedupDistributions"];
export type Sort = components["parameters"]["Sort"];
export type DocumentInfo = Schemas["Document"];
export type GroupHead = Schemas["Group"];

// What the server says against a question.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | undefined>;

let currentRun = "";

// All further questions are about this run; "" is the first of the server.
export function setRun(name: string): void {
  currentRun = name;
}

export function runName(): string {
  return currentRun;
}

function target(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(target(path, query), signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server does not answer.");
  }
  let answer: unknown;
  try {
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(response.status, "The answer of the server cannot be read.");
  }
  if (!response.ok) {
    const { error } = answer as { error?: { message?: string } };
    throw new ApiError(response.status, error?.message ?? response.statusText);
  }
  return answer as T;
}

type Question<Path extends keyof paths> = paths[Path] extends { get: infer Get } ? Get : never;
type QueryOf<Path extends keyof paths> =
  Question<Path> extends { parameters: { query?: infer Parameters } } ? Omit<NonNullable<Parameters>, "run"> : never;
type AnswerOf<Path extends keyof paths> =
  Question<Path> extends { responses: { 200: { content: { "application/json": infer Answer } } } } ? Answer : never;

// A question about the current run; `topic` stands for {path}.
function ask<Path extends keyof paths>(
  path: Path,
  query: QueryOf<Path>,
  { signal, topic = "" }: { signal?: AbortSignal | undefined; topic?: string } = {},
): Promise<AnswerOf<Path>> {
  const address = path.slice(1).replace("{path}", encodeURIComponent(topic));
  return get(address, { ...query, run: currentRun === "" ? undefined : currentRun }, signal);
}

export const api = {
  runs: () => get<AnswerOf<"/api/runs">>("api/runs"),
  report: () => ask("/api/run", {}) as Promise<{ report: Report; distributions: Distributions }>,
  search: (q: string, n: number, signal?: AbortSignal) => ask("/api/search", { q, n }, { signal }),
  page: (url: string) => ask("/api/page", { url }),
  related: (url: string, n: number, otherSites: boolean) =>
    ask("/api/related", { url, n, words: 6, other_sites: otherSites }),
  topics: (under: string) => ask("/api/topics", under === "" ? {} : { under }),
  topic: (path: string, page: number) => ask("/api/topic/{path}", { page }, { topic: path }),
  clusters: (sort: Sort, page: number, size: number) => ask("/api/clusters", { sort, page, size }),
  cluster: (number: number, page: number, size: number) => ask("/api/cluster", { number, page, size }),
  compare: (a: string, b: string) => ask("/api/compare", { a, b }),
  dedupReport: () => ask("/api/run", {}) as Promise<{ report: DedupReport; distributions: DedupDistributions }>,
  groups: (sort: Sort, page: number, size: number) => ask("/api/groups", { sort, page, size }),
  group: (number: number, page: number, size: number) => ask("/api/group", { number, page, size }),
  pairs: (of: { number: number } | { id: number }, page: number, size: number) =>
    ask("/api/pairs", { ...of, page, size }),
  document: (id: number) => ask("/api/document", { id }),
  overlap: (a: number, b: number) => ask("/api/overlap", { a_id: a, b_id: b }),
};
