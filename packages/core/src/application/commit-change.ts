import type { Change, CommitOutcome } from '../ports/change.js';
import type { Engine } from './engine.js';

/** The store's commit. Whoever is told `stale` decides again, and then knows the consumers that were registered meanwhile. */
export async function commitChange(engine: Engine, change: Change): Promise<CommitOutcome> {
  const outcome = await engine.store.commit(change);
  if (outcome.kind === 'stale' && change.consumers !== null) await engine.consumers.refresh();
  return outcome;
}
