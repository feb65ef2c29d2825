import { plain } from './plain.js';
import { readAs, unread, unreadable, withoutWords, type Reading } from './read.js';

/** The largest UTC offset, of the Line Islands, where each day begins first. */
const AHEAD_OF_UTC_MS = 14 * 3_600_000;

/**
 * Reads an existing date since 1900 that has begun in some time zone. Browsers give it with the year first; where they do not, days are
 * first only if written with dots or above twelve, since `05/06` is a different day for different readers.
 */
export function readDay(text: string, at: number): Reading {
  const given = withoutWords(plain(text));
  if (given === '') return unread('required');
  const day = written(given);
  if (day === null) return unread(unreadable(given, /[\d\s./-]/) ?? 'not_a_day');
  const start = new Date(`${day}T00:00Z`).getTime();
  const exists = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  return exists && day >= '1900' && start <= at + AHEAD_OF_UTC_MS ? readAs(day) : unread('not_a_day');
}

/** The date as `YYYY-MM-DD`; null for other text. */
function written(text: string): string | null {
  const [, first = '', separator, second = '', third = ''] = /^(\d+)([\s./-]+)(\d+)[\s./-]+(\d+)$/.exec(text) ?? [];
  const ordered = (...[year, month, day]: readonly string[]): string =>
    [year, month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
  if (first.length === 4) return ordered(first, second, third);
  if (third.length !== 4) return null;
  if (separator === '.' || Number(first) > 12) return ordered(third, second, first);
  return Number(second) > 12 ? ordered(third, first, second) : null;
}
