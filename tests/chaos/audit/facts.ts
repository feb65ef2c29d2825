import type { Form } from '../forms.js';
import type { Exit } from '../lib/supervised.js';
import type { CuttingProxy } from '../lib/cutting-proxy.js';
import type { Again, BalancesRead, Open, Payment, PaymentSeen, Replay, Short, Trade } from '../office/office-log.js';
import type { World } from '../world.js';
import type { DatabaseFacts } from './database-facts.js';

/** Everything that was recorded about a run, by all processes. Times are epoch milliseconds, `ms` and its like are durations. */
export interface Facts {
  form: Form;
  run: Run;
  exits: PhasedExit[];
  /** How often each kind of fault was carried out. */
  faults: World['counts'];
  cuts: CuttingProxy['counts'];
  acks: Ack[];
  repeats: Repeat[];
  bought: Bought[];
  unfinished: Unfinished[];
  refused: Refused[];
  unanswered: Unanswered[];
  wrong: Wrong[];
  races: RaceAnswer[];
  office: OfficeNotes;
  /** What stood in every pool at first, by its id and currency. */
  opening: Record<string, Record<string, string>>;
  received: Received[];
  database: DatabaseFacts;
}

/** What the back office wrote down, but for refusals, silences and wrong answers, which are listed with those of shoppers. */
export interface OfficeNotes {
  payments: Payment[];
  seen: PaymentSeen[];
  trades: Trade[];
  short: Short[];
  balances: BalancesRead[];
  replays: Replay[];
  open: Open[];
  again: Again[];
}

export interface Run {
  phases: Record<PhaseName, Period>;
  quietMs: number;
  /** Work that was not taken long after it was due. */
  overdue: { what: string; id: string; for_ms: number }[];
}

export type PhaseName = 'crash' | 'cuts' | 'redis';

export interface Period {
  from: number;
  to: number;
}

export interface PhasedExit extends Exit {
  phase: World['phase'];
  at: number;
}

/** A create that was acknowledged: `ms` of the request that was answered, `allMs` of all tries. */
export interface Ack {
  key: string;
  session: string;
  sha: string;
  at: number;
  ms: number;
  allMs: number;
  tries: number;
}

export interface Repeat {
  key: string;
  status: number;
  sha: string | null;
  at: number;
}

export interface Bought {
  key: string;
  session: string;
  status: string | null;
  refid: string;
  intents: string[];
  at: number;
}

export interface Unfinished {
  key: string;
  session: string;
  at: number;
  intents?: string[];
}

export interface Refused {
  what: string;
  at: number;
  ms: number;
  status: number;
  code: string | null;
  isEnvelope: boolean;
}

export interface Unanswered {
  what: string;
  at: number;
  ms: number;
  error: string;
}

export interface Wrong {
  what: string;
  at: number;
  key: string | null;
  status?: string | number;
  code?: string | null;
}

export interface RaceAnswer {
  key: string;
  amount: string;
  status: number | null;
  code: string | null;
  session: string | null;
  sha: string | null;
}

/** `sha` is null where the body was not read, and then so is all that it says. */
export interface Received {
  at: number;
  path: string;
  event: string | null;
  sha: string | null;
  bodyEvent: string | null;
  type: string | null;
  session: string | null;
  sequence: number | null;
  isVerified: boolean;
  answered: Mood;
}

/** What a receiver did: a status, or something worse. */
export type Mood = number | 'hangs' | 'closes_unread' | 'closes_read';
