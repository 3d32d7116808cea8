// What a view is: a function of the parameters of its address and the run.
import type { ClusterRunHead, DedupRunHead, RunHead } from "./api";
import type { Child } from "./dom";

export interface ViewResult {
  title: string;
  content: Child[];
  // Called once the content stands in the page, and when it goes.
  opened?: () => void;
  close?: () => void;
}

type Make<Run> = (parameters: URLSearchParams, run: Run) => Promise<ViewResult>;
export type View = Make<ClusterRunHead>;
export type DedupView = Make<DedupRunHead>;
export type AnyView = Make<RunHead>;
