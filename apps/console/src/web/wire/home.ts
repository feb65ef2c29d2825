import type { Endpoint, Mode, Session } from './types.js';

export interface Counted {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

interface Sum {
  readonly currency: string;
  readonly amount: string;
}

/** One of the last 24 hours. */
export interface ActivityHour {
  readonly from: string;
  readonly sessions: { readonly created: Counted; readonly completed: Counted };
  readonly deliveries: { readonly delivered: Counted; readonly failed: Counted };
}

export interface Activity {
  readonly now: string;
  readonly hours: readonly ActivityHour[];
}

/** What was created in a period, by its present state. */
export interface Totals {
  readonly now: string;
  readonly from: string;
  readonly sessions: Readonly<Record<string, Counted>>;
  readonly payments: Readonly<Record<string, Counted>>;
  readonly money: readonly MoneyTotal[];
}

export interface MoneyTotal {
  readonly currency: string;
  readonly received: string;
  readonly paid_out: string;
  readonly in_progress: string;
  readonly returned: string;
}

interface HeldOf extends Counted {
  readonly amounts: readonly (Sum & { readonly mode: Mode })[];
}

/** Money whose outcome is open, of all partners that an operator sees. */
export interface HeldMoney {
  readonly sessions: HeldOf;
  readonly operations: HeldOf | null;
}

/** Work that is no longer retried automatically, of all partners that an operator sees. */
export interface FailedWork {
  readonly parked_tasks: Readonly<Record<Mode, Counted>>;
  readonly dead_letters: Readonly<Record<Mode, Counted>>;
}

export interface Alarm {
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  readonly state: 'firing' | 'pending' | 'inactive' | 'not_evaluated';
  readonly covers: 'installation' | 'process' | null;
  readonly since: string | null;
  readonly value: number | null;
  readonly condition: string;
  readonly meaning: string;
  readonly reason: 'needs_history' | 'no_data' | null;
  /** What it was raised about, the latest first. */
  readonly about: readonly {
    readonly fields: Readonly<Record<string, string | number | null>>;
    readonly path: string | null;
    /** The page of each field that is an id. */
    readonly links: Readonly<Record<string, string>>;
  }[];
}

/** Every alarm: those that fire first. */
export interface Alarms {
  readonly evaluated_at: string;
  readonly data: readonly Alarm[];
}

export interface Overview {
  readonly now: string;
  readonly deliveries: {
    readonly pending: Counted;
    readonly dead: Counted;
    readonly last_24h: { readonly delivered: Counted };
  };
  readonly endpoint: Endpoint | null;
  readonly recent: readonly Session[];
}
