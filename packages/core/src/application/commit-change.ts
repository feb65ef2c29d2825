import { isTerminal } from '../domain/session/session.js';
import type { Change, CommitOutcome } from '../ports/change.js';
import type { Engine } from './engine.js';

/**
 * The store's commit. Whoever is told `stale` decides again, and then knows the consumers that were registered meanwhile. Packages of
 * sessions that have ended are forgotten.
 */
export async function commitChange(engine: Engine, change: Change): Promise<CommitOutcome> {
  const outcome = await engine.store.commit(change);
  if (outcome.kind === 'committed') forgetPackages(engine, change);
  if (outcome.kind === 'stale' && change.consumers !== null) await engine.consumers.refresh();
  return outcome;
}

/** Nobody waits for the vault: what it is not told, or cannot do now, it forgets at its `forgetBy`. A host may yet roll its transaction back. */
function forgetPackages(engine: Engine, { sessions }: Change): void {
  if (engine.isWithinHost) return;
  for (const { row } of sessions) if (isTerminal(row) && row.kyc !== null) void forget(engine, row.id);
}

/** Never rejects: the change is committed, whatever the vault of a host does. */
async function forget({ vault, telemetry }: Engine, sessionId: string): Promise<void> {
  try {
    await vault.forget(sessionId);
  } catch (error) {
    telemetry.failure(error, { place: 'kyc vault', session_id: sessionId });
  }
}
