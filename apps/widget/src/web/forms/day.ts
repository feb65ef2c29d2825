import { plain } from './plain.js';
import { checked, unreadable, withoutWords, type Reading } from './read.js';

/** The largest UTC offset, of the Line Islands, where each day begins first. */
const AHEAD_OF_UTC_MS = 14 * 3_600_000;

/** Reads an existing date since 1900 that has begun in some time zone, with the year first, as browsers give it. */
export function readDay(text: string, at: number): Reading {
  const given = withoutWords(plain(text));
  const [, year = '', month = '', day = ''] = /^(\d{4})[\s./-]+(\d\d?)[\s./-]+(\d\d?)$/.exec(given) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const start = Date.parse(date);
  const isDay = year >= '1900' && start <= at + AHEAD_OF_UTC_MS && new Date(start).toISOString().startsWith(date);
  return isDay ? checked(date, null) : checked(given, unreadable(given, /[\d\s./-]/) ?? 'not_a_day');
}
