import type { Answer } from '../differential/known.js';

/** The ids that a client saw while it read a list that others changed. */
export interface Walk {
  /** The ids that had been acknowledged before the first page. */
  readonly begun: readonly string[];
  readonly visited: readonly string[];
}

const PAGES_MAX = 200;

/** Reads all pages of a list and returns the ids in their order. Repeats a page that was refused with 503. */
export async function walkList(page: (query: string) => Promise<Answer>): Promise<readonly string[]> {
  const visited: string[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const last = visited.at(-1);
    const answer = await page(`limit=3${last === undefined ? '' : `&starting_after=${last}`}`);
    if (answer.status === 503) continue;
    if (answer.status !== 200) throw new Error(`A page of a walk was refused: ${answer.body}`);
    // The list envelope of the contract.
    const { data, has_more: hasMore } = JSON.parse(answer.body) as {
      data: readonly { readonly id: string }[];
      has_more: boolean;
    };
    visited.push(...data.map(({ id }) => id));
    if (!hasMore) return visited;
  }
  throw new Error('A walk did not come to an end.');
}
