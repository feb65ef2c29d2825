import type { Question, WholeAnswer } from './ask.js';
import type { Chance } from './chance.js';
import type { Log } from './ndjson.js';

/** An answer, and how it was come by. */
export type TriedAnswer = WholeAnswer & { readonly tries: number; readonly allMs: number };

/** Null when the time was up. */
export type Asking = (what: string, path: string, question: Question) => Promise<TriedAnswer | null>;

/** What a shopper has at hand: a service to ask, chance, a log, and a time at which it gives up. */
export interface Shop {
  readonly ask: Asking;
  readonly log: Log;
  readonly luck: Chance;
  readonly deadline: { readonly at: number };
}
