import type { ErrorCode } from '../../domain/error-code.js';
import { isOfTerms, type RefusedAttempt, type RefusedTerms } from '../../domain/timeline.js';
import type { Scope } from '../../domain/mode.js';
import { emptyChange } from '../../ports/change.js';
import { apply, TryAgain, unchanged } from '../commit/apply.js';
import { documentWrite, listRows, type DocumentKind } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';

/** Maximum number of refused attempts stored per session; later ones are refused without being stored. */
const REFUSALS_MAX = 20;

const refusalKind: DocumentKind<RefusedAttempt> = { noun: 'refusal', groupOf: ({ sessionId }) => sessionId };

interface Refused {
  readonly scope: Scope;
  /** Null if the checkout was opened without a session. */
  readonly sessionId: string | null;
  readonly code: ErrorCode;
  readonly terms: RefusedTerms;
  readonly requestId: string;
}

/**
 * Stores a refused attempt for the session's timeline. Never rejects, because the browser gets its refusal in any case. Each takes one of
 * the session's limited slots by its id, so that no browser can fill the store, even with concurrent requests.
 */
export async function keepRefusal(
  engine: Engine,
  { scope, sessionId, code, terms, requestId }: Refused,
): Promise<void> {
  if (sessionId === null || !isOfTerms(code)) return;
  try {
    await apply(engine, {
      load: () => slotsTaken(engine, scope, sessionId),
      decide: (taken) => {
        if (taken >= REFUSALS_MAX) return unchanged(null);
        const now = engine.clock.now(scope);
        const { flow, amount, currency, targetToken, targetNetwork, paymentMethod } = terms;
        const row: RefusedAttempt = {
          ...scope,
          id: `${sessionId}_${String(taken).padStart(SLOT_DIGITS, '0')}`,
          version: 0,
          sessionId,
          requestId,
          code,
          asked: { flow, amount, currency, targetToken, targetNetwork, paymentMethod },
          createdAt: now,
        };
        return {
          change: { ...emptyChange(scope, now), documents: [documentWrite(refusalKind, row, null)] },
          value: null,
        };
      },
    });
  } catch (error) {
    // Concurrent requests of the session took the slots; enough refusals are stored.
    if (error instanceof TryAgain) return;
    engine.telemetry.failure(error, { place: 'refused attempt', session_id: sessionId });
  }
}

const SLOT_DIGITS = 4;

/** The newest row's id contains its slot number, so no other row is read. */
async function slotsTaken({ store }: Engine, scope: Scope, sessionId: string): Promise<number> {
  const page = { start: { kind: 'newest' }, limit: 1 } as const;
  const [newest] = await listRows(store, refusalKind, scope, page, { group: sessionId });
  return newest === undefined ? 0 : Number(newest.id.slice(-SLOT_DIGITS)) + 1;
}

/** Newest first. */
export function refusalsOf({ store }: Engine, scope: Scope, sessionId: string): Promise<readonly RefusedAttempt[]> {
  const page = { start: { kind: 'newest' }, limit: REFUSALS_MAX } as const;
  return listRows(store, refusalKind, scope, page, { group: sessionId });
}
