import { fingerprintText, idempotencyScope, type WireReply } from '../../domain/idempotency/idempotency.js';
import type { Mode, Scope } from '../../domain/mode.js';
import type { IdempotencyRef } from '../../ports/change.js';
import type { Engine } from '../engine.js';

/** One use of an idempotency key, and how the answer to be repeated is rendered. */
export interface Idempotent<Value> {
  /** The key as sent: it opens the sealed reply and is stored nowhere. */
  readonly key: string;
  readonly ref: IdempotencyRef;
  readonly mode: Mode;
  /** `seal` completes a key that an earlier commit of the same request has `started`. */
  readonly write: 'claim' | 'seal';
  render(value: Value): WireReply;
}

export interface KeyUse {
  readonly key: string;
  readonly scope: Scope;
  /** On embed calls also the session. */
  readonly sessionId: string | null;
  readonly method: string;
  readonly path: string;
  readonly canonicalBody: string;
}

/** Keyed hashes of the key and of what it was used for (spec: Idempotency; `docs/spec-notes.md` C2). */
export function idempotencyRef(engine: Pick<Engine, 'crypto'>, use: KeyUse): IdempotencyRef {
  const scope = idempotencyScope(use.scope, use.sessionId);
  return {
    scope,
    keyHash: engine.crypto.keyedHash('idempotency-key', `${scope} ${use.key}`),
    fingerprint: engine.crypto.keyedHash('fingerprint', fingerprintText(use.method, use.path, use.canonicalBody)),
  };
}

export function sealReply(engine: Engine, use: Pick<Idempotent<never>, 'key' | 'ref'>, reply: WireReply): string {
  return engine.crypto.sealReply(JSON.stringify([reply.status, reply.headers, reply.body]), use.key, use.ref);
}

export function openReply(engine: Engine, use: Pick<Idempotent<never>, 'key' | 'ref'>, sealed: string): WireReply {
  const text = engine.crypto.openReply(sealed, use.key, use.ref);
  if (text === null) throw new Error('A stored reply does not open under its own key.');
  // We sealed exactly this tuple, and sealing is authenticated.
  const [status, headers, body] = JSON.parse(text) as [number, Record<string, string>, string];
  return { status, headers, body };
}
