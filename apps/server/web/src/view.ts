// What a view is: a function of the parameters of its address and the run.
import type { RunHead } from "./api";
import type { Child } from "./dom";

export interface ViewResult {
  title: string;
  content: Child[];
  // Called once the content stands in the page, and when it goes.
  opened?: () => void;
  close?: () => void;
}

export type View = (parameters: URLSearchParams, run: RunHead) => Promise<ViewResult>;
