// The questions of the page to the server; apps/server/openapi.json describes them.

export interface Page {
  url: string;
  title: string; // empty where none is known
}
export interface Lookup {
  asked: string;
  found: string;
  exact: boolean;
}
export interface Host {
  host: string;
  pages: number;
}
export interface List {
  page: number; // from 1
  size: number;
  rows: number;
  pages: number;
}
export interface ClusterRunHead {
  name: string;
  kind: "cluster";
  urls: number;
  clusters: number;
  topics: number;
}
export interface DedupRunHead {
  name: string;
  kind: "dedup";
  documents: number;
  groups: number;
  removed: number;
}
export type RunHead = ClusterRunHead | DedupRunHead;
export interface Related extends Page {
  similarity: number;
  topic: string;
  words?: string[];
}
export interface TopicStep {
  path: string;
  label: string[];
}
export interface Topic extends TopicStep {
  pages: number;
  children: number;
  cohesion: number;
  exemplar?: Page;
  hosts?: Host[];
  language?: string;
}
export interface ClusterHead {
  number: number;
  size: number;
  label: string[];
}
export interface Cluster extends ClusterHead {
  center: Page;
  hosts: Host[];
  links?: [number, number, number][];
}
export interface Member extends Page {
  similarity: number;
}
export interface PageInfo extends Page {
  fetched: boolean;
  inlinks: number;
  similar_pages: number;
  topics: TopicStep[];
  cluster: ClusterHead;
  terms: number;
  bag: { term: string; word: string; weight: number }[];
}
export type SearchResult =
  | ({ kind: "url" | "title" } & Page)
  | { kind: "host"; host: string; urls: number; url: string }
  | { kind: "topic"; path: string; label: string[]; pages: number }
  | { kind: "cluster"; number: number; label: string[]; size: number }
  | ({ kind: "document" } & DocumentInfo);
export interface Estimate {
  sketch: string;
  measure: string;
  exact: number;
  lower: number;
  value: number;
  upper: number;
}
export interface Comparison {
  a: Page;
  b: Page;
  similarity: number;
  cosine: number;
  distance: number;
  terms: { term: string; word: string; a: number; b: number }[];
  estimates: Estimate[];
}
export interface Stage {
  stage: string;
  seconds: number;
  reused: boolean;
}
export interface CrawlCounts {
  files: number;
  records: number;
  pages: number;
  bytes_in: number;
  page_bytes: number;
  skipped: [string, number][];
  examples: { kind: string; file: string; offset: number; reason: string }[];
}
export interface Report {
  version: string;
  threads: number;
  memory: number;
  peak_memory: number;
  crawl: CrawlCounts;
  text: { words: number; links: number };
  bags: { urls: number; fetched: number; empty: number; vocabulary: number; terms: number };
  boilerplate: { words: number; left_out: number; hosts: number };
  threshold: { similarity: number; automatic: boolean; reason: string };
  engine: { engine: string; reason: string; tables: number; per_key: number };
  pairs: { similar: number; candidates: number };
  clusters: { clusters: number; clustered: number; singles: number; largest: number };
  topics: { topics: number; pages: number; levels: unknown[] };
  check: {
    queries: number;
    true_pairs: number;
    pair_recall: number;
    pair_precision: number;
    similar_neighbour_recall: number;
    promised: number;
    recall_upper: number;
  };
  options: { inputs: string[]; neighbours: number };
  stages: Stage[];
  steps: Stage[];
}
export interface Distributions {
  cluster_sizes: [number, number][];
  nearest_similarity: { sampled: number; without: number; urls: number[] };
  s_curve: [number, number][];
}

// Of a run of kith dedup.
export interface DocumentName {
  id: number;
  name: string;
}
export interface EarlierDocument {
  name: string;
  run: string;
  resemblance: number;
  containment: number;
  containment_of_match: number;
}
export interface DocumentInfo extends DocumentName {
  role: "kept" | "removed";
  group?: number; // none: it is like no other
  bytes: number;
  elements: number;
  file: string;
  record: number;
  resemblance?: number; // to the kept document of its group
  containment?: number;
  containment_of_kept?: number;
  equal_to?: DocumentName;
  earlier?: EarlierDocument;
}
export interface GroupHead {
  number: number;
  size: number;
  kept: DocumentName;
}
export interface Overlap {
  resemblance: number;
  containment_of_a: number;
  containment_of_b: number;
  common: number;
  elements_a: number;
  elements_b: number;
}
export interface DocumentPair extends Overlap {
  a: DocumentName;
  b: DocumentName;
}
export interface Passage {
  kind: "shared" | "only_a" | "only_b" | "elsewhere_a" | "elsewhere_b";
  a?: string;
  b?: string;
  twin?: number;
}
export type Texts =
  | {
      state: "found";
      bag_similarity: number;
      word_cosine: number;
      word_distance: number;
      shingle_distance: number;
      passages: Passage[];
    }
  | { state: "busy" | "unfinished" | "none"; reason: string };
export interface SideBySide {
  a: DocumentInfo;
  b: DocumentInfo;
  overlap: Overlap;
  texts: Texts;
}
export interface GroupCounts {
  groups: number;
  removed: number;
  largest: number;
}
export interface DedupReport {
  version: string;
  threads: number;
  peak_memory: number;
  crawl: CrawlCounts;
  documents: { documents: number; empty: number; cut: number; text_bytes: number; elements: number };
  against: { removed: number; equal: number };
  pairs: { duplicates: number; candidates: number; similar: number };
  groups: GroupCounts & {
    weak: number;
    components: GroupCounts;
    largest_groups: { documents: number; kept: string }[];
  };
  check: {
    queries: number;
    true_pairs: number;
    found: number;
    recall: number;
    promised: number;
    kept_queries: number;
    kept_similar: number;
  };
  options: {
    inputs: string[];
    method: string;
    shingles: string;
    width: number;
    similarity_of: string;
    similarity: number;
    groups: string;
    keep: string;
  };
  stages: Stage[];
}
export interface DedupDistributions {
  group_sizes: [number, number][];
  pair_similarity: { pairs: number; sampled: number; counts: number[] };
  s_curve: [number, number][];
}

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

// A question about the current run.
function ask<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return get<T>(path, { ...query, run: currentRun === "" ? undefined : currentRun }, signal);
}

export const api = {
  runs: () => get<{ runs: RunHead[] }>("api/runs"),
  report: () => ask<{ report: Report; distributions: Distributions }>("api/run"),
  search: (q: string, n: number, signal?: AbortSignal) =>
    ask<{ results: SearchResult[]; complete: boolean }>("api/search", { q, n }, signal),
  page: (url: string) => ask<{ lookup: Lookup; page: PageInfo }>("api/page", { url }),
  related: (url: string, n: number, otherSites: boolean) =>
    ask<{ related: Related[] }>("api/related", { url, n, words: 6, other_sites: otherSites }),
  topics: (under: string) =>
    ask<{ topics: Topic[]; complete: boolean }>("api/topics", under === "" ? {} : { under }),
  topic: (path: string, page: number) =>
    ask<{ topic: Topic; parents: TopicStep[]; children: Topic[]; pages: Page[]; list: List }>(
      `api/topic/${encodeURIComponent(path)}`,
      { page },
    ),
  clusters: (sort: string, page: number, size: number) =>
    ask<{ clusters: Cluster[]; list: List }>("api/clusters", { sort, page, size }),
  cluster: (number: number, page: number, size: number) =>
    ask<{ cluster: Cluster; members: Member[]; list: List }>("api/cluster", { number, page, size }),
  compare: (a: string, b: string) => ask<Comparison>("api/compare", { a, b }),
  dedupReport: () => ask<{ report: DedupReport; distributions: DedupDistributions }>("api/run"),
  groups: (sort: string, page: number, size: number) =>
    ask<{ groups: GroupHead[]; list: List }>("api/groups", { sort, page, size }),
  group: (number: number, page: number, size: number) =>
    ask<{ group: GroupHead; documents: DocumentInfo[]; list: List }>("api/group", { number, page, size }),
  pairs: (of: { number: number } | { id: number }, page: number, size: number) =>
    ask<{ pairs: DocumentPair[]; list: List }>("api/pairs", { ...of, page, size }),
  document: (id: number) => ask<{ document: DocumentInfo }>("api/document", { id }),
  overlap: (a: number, b: number) => ask<SideBySide>("api/overlap", { a_id: a, b_id: b }),
};
