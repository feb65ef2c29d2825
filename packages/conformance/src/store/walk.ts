import assert from 'node:assert/strict';
import { cutPage, type PageRequest, type PageStart } from '@gateramp/core/domain';

export type ReadIds = (page: PageRequest) => Promise<readonly string[]>;

/** Pages from the newest item and back from the oldest, in pages of several sizes, and expects exactly these ids. */
export async function visitsEachOnce(read: ReadIds, expected: readonly string[]): Promise<void> {
  for (const limit of [1, 2, 3, expected.length, 100]) {
    assert.deepEqual((await walk(read, { kind: 'newest' }, limit)).flat(), expected, `forward by ${limit}`);
    const oldest = expected.at(-1);
    assert.ok(oldest !== undefined);
    const back = await walk(read, { kind: 'before', id: oldest }, limit);
    assert.deepEqual(back.toReversed().flat(), expected.slice(0, -1), `backward by ${limit}`);
  }
}

/** All pages from `start`; endless paging fails rather than hangs. */
async function walk(read: ReadIds, start: PageStart, limit: number): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let next = start;
  for (let turn = 0; turn < 100; turn += 1) {
    const rows = await read({ start: next, limit });
    assert.ok(rows.length <= limit + 1, 'a page was longer than limit + 1');
    const { items, hasMore } = cutPage(rows, { start: next, limit });
    pages.push(items);
    const cursor = next.kind === 'before' ? items[0] : items.at(-1);
    if (!hasMore || cursor === undefined) return pages;
    next = { kind: next.kind === 'before' ? 'before' : 'after', id: cursor };
  }
  throw new Error('The walk did not end.');
}
