import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  cutPage,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Page,
  type PageStart,
} from '../../../src/domain/paging/page.js';
import { forAll } from '../for-all.js';

/** The rows that a store returns for items 1…n, newest first: one beyond the limit, nearest first before a cursor. */
function rows(count: number, start: PageStart, limit: number): number[] {
  const newestFirst = [...Array(count).keys()].map((n) => count - n);
  if (start.kind === 'newest') return newestFirst.slice(0, limit + 1);
  const cursor = Number(start.id);
  if (start.kind === 'after') return newestFirst.filter((n) => n < cursor).slice(0, limit + 1);
  return newestFirst
    .filter((n) => n > cursor)
    .reverse()
    .slice(0, limit + 1);
}

function page(count: number, start: PageStart, limit: number): Page<number> {
  return cutPage(rows(count, start, limit), { start, limit });
}

describe('a page', () => {
  it('has 10 items by default, 100 at most', () => {
    expect([PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX]).toEqual([10, 100]);
  });

  it.each<[PageStart, number[], boolean]>([
    [{ kind: 'newest' }, [5, 4], true],
    [{ kind: 'after', id: '4' }, [3, 2], true],
    [{ kind: 'after', id: '3' }, [2, 1], false],
    [{ kind: 'after', id: '1' }, [], false],
    [{ kind: 'before', id: '2' }, [4, 3], true],
    [{ kind: 'before', id: '3' }, [5, 4], false],
    [{ kind: 'before', id: '5' }, [], false],
  ])('from %j shows the newest first: %j', (start, items, hasMore) => {
    expect(page(5, start, 2)).toEqual({ items, hasMore });
  });

  it('does not change the rows it was given', () => {
    const given = Object.freeze([3, 4, 5]);
    cutPage(given, { start: { kind: 'before', id: '2' }, limit: 2 });
    expect(given).toEqual([3, 4, 5]);
  });

  forAll([fc.nat(40), fc.integer({ min: 1, max: 12 })])(
    'walked with starting_after until has_more is false shows every item once, in order',
    (count, limit) => {
      const seen: number[] = [];
      let start: PageStart = { kind: 'newest' };
      for (;;) {
        const { items, hasMore } = page(count, start, limit);
        expect(items.length).toBeLessThanOrEqual(limit);
        seen.push(...items);
        if (!hasMore) break;
        start = { kind: 'after', id: String(items.at(-1)) };
      }
      expect(seen).toEqual([...Array(count).keys()].map((n) => count - n));
    },
  );

  forAll([fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 })])(
    'walked back with ending_before shows the same in the same order',
    (count, limit) => {
      let seen: number[] = [];
      let start: PageStart = { kind: 'before', id: '1' };
      for (;;) {
        const { items, hasMore } = page(count, start, limit);
        seen = [...items, ...seen];
        if (!hasMore) break;
        start = { kind: 'before', id: String(items[0]) };
      }
      expect(seen).toEqual([...Array(count - 1).keys()].map((n) => count - n));
    },
  );
});
