import { randomUUID } from 'node:crypto';
import type { Settings } from '@gateramp/core/ports';
import type { Acknowledged } from './acknowledged.js';

const RECORD = 'history';
const HOLD = 'history_hold';

/** The history record of the database. */
export interface HistoryRecord {
  /** Generated once; a restore keeps it. */
  readonly installation: string;
  /** The identity of the server that wrote it; null if it could not be determined. */
  readonly identity: string | null;
  /** Writes acknowledged earlier are no longer checked. Wall time in epoch milliseconds. */
  readonly acceptedAt: number;
}

/** Why the installation is on hold, for operators. */
export interface HistoryReport {
  readonly object: 'history_report';
  readonly since: string;
  readonly reason: 'rows_missing' | 'unknown_history';
  readonly identity_before: string | null;
  readonly identity: string | null;
  /** The number of acknowledged rows that were checked. */
  readonly checked: number;
  readonly last_told_at: string | null;
  /** The number of missing rows, the times of the oldest and newest, and the rows, oldest first; earlier versions stored up to 100. */
  readonly missing: number;
  readonly first_missing_at: string | null;
  readonly last_missing_at: string | null;
  readonly examples: readonly Acknowledged[];
}

export async function readRecord(settings: Settings): Promise<HistoryRecord | null> {
  const text = await settings.readSetting(RECORD);
  // Written below.
  return text === null ? null : (JSON.parse(text) as HistoryRecord);
}

export async function firstRecord(settings: Settings, identity: string | null): Promise<HistoryRecord> {
  const record: HistoryRecord = { installation: randomUUID(), identity, acceptedAt: 0 };
  return JSON.parse(await settings.swapSetting(RECORD, null, JSON.stringify(record))) as HistoryRecord;
}

export async function keepRecord(settings: Settings, before: HistoryRecord, next: HistoryRecord): Promise<void> {
  await settings.swapSetting(RECORD, JSON.stringify(before), JSON.stringify(next));
}

export async function readHold(settings: Settings): Promise<HistoryReport | null> {
  const text = await settings.readSetting(HOLD);
  // Written below; empty after it was accepted.
  return text === null || text === '' ? null : (JSON.parse(text) as HistoryReport);
}

export async function keepHold(settings: Settings, report: HistoryReport): Promise<void> {
  await settings.swapSetting(HOLD, await settings.readSetting(HOLD), JSON.stringify(report));
}

/** Accepts the database as it is and gives up the missing rows. Null if nothing is on hold. */
export async function acceptHistory(settings: Settings, now: number): Promise<HistoryReport | null> {
  const report = await readHold(settings);
  const record = await readRecord(settings);
  if (report === null || record === null) return null;
  await keepRecord(settings, record, { ...record, identity: report.identity, acceptedAt: now });
  await settings.swapSetting(HOLD, JSON.stringify(report), '');
  return report;
}
