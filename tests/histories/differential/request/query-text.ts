import type { Who } from '../cast.js';
import type { Query } from '../command.js';
import { pick, type Owned } from '../known.js';

interface Ids {
  readonly own: readonly string[];
  readonly any: readonly string[];
}

export function owned(all: readonly Owned[], who: Who): Ids {
  const own = all.filter((one) => one.who.partner === who.partner && one.who.mode === who.mode);
  return { own: own.map(({ id }) => id), any: all.map(({ id }) => id) };
}

export function queryText({ filters, cursor }: Query, ids: Ids): string {
  const query = new URLSearchParams(
    Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]),
  );
  if (cursor !== null)
    query.set(
      cursor.name,
      cursor.of === 'nobody' ? 'f'.repeat(cursor.nth) : (pick(ids[cursor.of], cursor.nth) ?? '0'.repeat(24)),
    );
  return query.size === 0 ? '' : `?${query.toString()}`;
}
