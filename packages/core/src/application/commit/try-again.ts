import type { Engine } from '../engine.js';

/**
 * The state kept moving while a decision was taken, three times in a row. Nothing was changed; the
 * HTTP ring answers 503 `try_again`.
 */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';

  constructor() {
    super('The resource was changed concurrently; try again.');
  }
}

/**
 * Loads, decides and commits, and does so again on fresh state while the answer is null: the state had moved on before the commit. At most
 * `policy.decisionsMax` times; then it throws `TryAgain`.
 */
export async function onFreshState<Answer>(engine: Engine, once: () => Promise<Answer | null>): Promise<Answer> {
  for (let count = 0; count < engine.policy.decisionsMax; count += 1) {
    const answer = await once();
    if (answer !== null) return answer;
  }
  throw new TryAgain();
}
