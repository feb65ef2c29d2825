import type { Answer } from '../differential/known.js';

/** What a client saw that walked a list while others changed it. */
export interface Walk {
  /** What had been acknowledged when it set out. */
  readonly begun: readonly string[];
  readonly visited: readonly string[];
}

const PAGES_MAX = 200;

/** Ids in the order in which they were met. A page that says "try again" is asked again. */
export async function walkList(page: (query: string) => Promise<Answer>): Promise<readonly string[]> {
  const visited: string[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const last = visited.at(-1);
    const answer = await page(`limit=3${last === undefined ? '' : `&starting_after=${last}`}`);
    if (answer.status === 503) continue;
    if (answer.status !== 200) throw new Error(`A page of a walk was refused: ${answer.body}`);
    // A list envelope, as the contract shapes it.
    const { data, has_more: hasMore } = JSON.parse(answer.body) as {
      data: readonly { readonly id: string }[];
      has_more: boolean;
    };
    visited.push(...data.map(({ id }) => id));
    if (!hasMore) return visited;
  }
  throw new Error('A walk did not come to an end.');
}
