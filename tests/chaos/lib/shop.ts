import type { Question, WholeAnswer } from './ask.js';
import type { Chance } from './chance.js';
import type { Log } from './ndjson.js';

/** A response, and the attempts that led to it. */
export type TriedAnswer = WholeAnswer & { readonly tries: number; readonly allMs: number };

/** Null at the deadline. */
export type Asking = (what: string, path: string, question: Question) => Promise<TriedAnswer | null>;

/** What a shopper uses: a service, randomness, a log, and a deadline. */
export interface Shop {
  readonly ask: Asking;
  readonly log: Log;
  readonly luck: Chance;
  readonly deadline: { readonly at: number };
}
