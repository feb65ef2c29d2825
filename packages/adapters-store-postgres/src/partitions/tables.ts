import { objectIdTime, transactionIdTime } from '@gateramp/core/runtime';
import type { Instant } from '@gateramp/core/domain';

/** The tables that can be partitioned by months, in the order in which they are converted. */
export const PARTITIONED_TABLES = ['sessions', 'intents', 'transactions', 'events', 'deliveries'] as const;

/** The setting that a partitioned database has before it has any data. */
export const SESSIONS_IDENTITY = 'sessions_identity';

/** One of `PARTITIONED_TABLES`. Attempts are columns of deliveries. */
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

interface PartitionKey {
  readonly column: 'id' | 'created_at';
  /** The first value of rows that are created at an instant. */
  readonly at: (instant: Instant) => string | number;
  /** No key is less, and all are less than `beyond`. */
  readonly least: string | number;
  readonly beyond: string | number;
  /** The inverse of `at`; null for a value that does not begin with a time. */
  readonly instantOf: (value: string) => Instant | null;
}

/** Ids are lower-case letters and digits, and the tilde comes after them. */
const OF_IDS = { column: 'id', least: '', beyond: '~' } as const;

/**
 * Ids begin with their time and end the primary key, so a range of ids is a range of time, and an id is unique in all partitions. Ids of
 * events may be random (hosts, and versions before this one), so events are partitioned by the instant of their creation.
 */
export const PARTITION_KEYS: Readonly<Record<PartitionedTable, PartitionKey>> = {
  sessions: { ...OF_IDS, at: objectIdTime, instantOf: instantOfObject },
  intents: { ...OF_IDS, at: objectIdTime, instantOf: instantOfObject },
  deliveries: { ...OF_IDS, at: objectIdTime, instantOf: instantOfObject },
  transactions: { ...OF_IDS, at: transactionIdTime, instantOf: instantOfTransaction },
  events: {
    column: 'created_at',
    least: 0,
    beyond: Number.MAX_SAFE_INTEGER,
    at: (instant) => instant,
    instantOf: (value) => (/^\d+$/.test(value) ? Number(value) : null),
  },
};

function instantOfObject(id: string): Instant | null {
  return /^[0-9a-f]{12}/.test(id) ? Number.parseInt(id.slice(0, 12), 16) : null;
}

function instantOfTransaction(id: string): Instant | null {
  const [, time] = /^gtx_([0-9a-v]{10})/.exec(id) ?? [];
  return time === undefined ? null : Math.floor(Number.parseInt(time, 32) / 4);
}

export function isPartitionedTable(name: string): name is PartitionedTable {
  return (PARTITIONED_TABLES as readonly string[]).includes(name);
}

/** The first instant of the month that begins after `instant`. Months are those of UTC. */
export function monthAfter(instant: Instant): Instant {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** The first instant of a month written as YYYY-MM; null if it is not one. */
export function monthNamed(text: string): Instant | null {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  return year === undefined || month === undefined ? null : Date.UTC(Number(year), Number(month) - 1);
}

/** The month of an instant, as YYYY-MM. */
export function nameOfMonth(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 7);
}
