import type { Form } from '../forms.js';
import type { Exit } from '../lib/supervised.js';
import type { CuttingProxy } from '../lib/cutting-proxy.js';
import type { Again, BalancesRead, Open, Payment, PaymentSeen, Replay, Short, Trade } from '../office/office-log.js';
import type { World } from '../world.js';
import type { DatabaseFacts } from './database-facts.js';

/** The records of a run by all processes. Times are epoch milliseconds; `ms` and similar names are durations. */
export interface Facts {
  form: Form;
  run: Run;
  exits: PhasedExit[];
  /** The number of faults of each kind. */
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
  /** The initial balance of every pool, by id and currency. */
  opening: Record<string, Record<string, string>>;
  received: Received[];
  database: DatabaseFacts;
}

/** Log entries of the back office, without refusals, missing and wrong responses, which are listed with those of shoppers. */
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
  /** Work that was still unclaimed long after it was due. */
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

/** An acknowledged create: `ms` for the request that was answered, `allMs` for all attempts. */
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

/** `sha` and everything from the body is null if the body was not read. */
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

/** The response of a receiver: a status, or a fault. */
export type Mood = number | 'hangs' | 'closes_unread' | 'closes_read';
