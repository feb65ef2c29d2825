import { randomBytes } from 'node:crypto';
import type { Mode } from '@gateramp/core';
import { InvalidArgumentError } from 'commander';

export function readMode(text: string): Mode {
  if (text !== 'test' && text !== 'live') throw new InvalidArgumentError('Pass "test" or "live".');
  return text;
}

export function readSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('Pass "on" or "off".');
  return text === 'on';
}

/** A whole number, or "none" for no limit. */
export function readQuota(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Pass a whole number or "none".');
  return Number(text);
}

/** A number above 0, or "none" for limits per address. */
export function readFactor(text: string): number | 'none' {
  if (text === 'none') return text;
  const factor = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (factor <= 0 || factor > 1_000_000)
    throw new InvalidArgumentError('Pass a number above 0 and up to 1000000, or "none".');
  return factor;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, resolved once the database's time is known. */
export type Moment = (now: number) => number;

/** Parses "90m", "24h" or "30d" from now, "now", or a time such as 2030-01-31T00:00:00Z. */
export function readMoment(text: string): Moment {
  if (text === 'now') return (now) => now;
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) return (now) => now + Number(amount) * (UNITS[unit] ?? 0);
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Pass "now", a duration (90m, 24h, 30d), or a time such as 2030-01-31T00:00:00Z.');
  return () => at;
}

/** Parses "90m", "24h" or "30d" ago, "now", a time such as 2030-01-31T00:00:00Z, or a day such as 2030-01-31, which begins at 00:00 UTC. */
export function readPast(text: string): Moment {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return readMoment(`${text}T00:00:00Z`);
  if (!/^\d{1,5}[smhd]$/.test(text)) return readMoment(text);
  const ago = readDuration(text);
  return (now) => now - ago;
}

/** Parses "90s", "5m", "24h" or "30d" into milliseconds. */
export function readDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined)
    throw new InvalidArgumentError('Pass a duration such as 90s, 5m, 24h or 30d.');
  return Number(amount) * (UNITS[unit] ?? 0);
}

export function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 10_000) throw new InvalidArgumentError('Pass a whole number from 1 to 10000.');
  return limit;
}

export function readReason(text: string): string {
  if (text.trim() === '' || text.length > 500) throw new InvalidArgumentError('Pass a reason of 1 to 500 characters.');
  return text;
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** 32 letters and digits contain more than 180 bits. */
export function randomText(): string {
  let text = '';
  while (text.length < 32) text += randomBytes(48).toString('base64url').replaceAll(/[-_]/g, '');
  return text.slice(0, 32);
}
