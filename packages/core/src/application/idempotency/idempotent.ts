import { fingerprintText, idempotencyScope, type WireReply } from '../../domain/idempotency/idempotency.js';
import type { Mode, Scope } from '../../domain/mode.js';
import type { IdempotencyRef } from '../../ports/change.js';
import type { KeySeal } from '../../ports/crypto.js';
import type { Engine } from '../engine.js';

/** One use of an idempotency key, and how the answer to be repeated is rendered. */
export interface Idempotent<Value> {
  /** Seals and opens replies of this key; the key itself is not carried further. */
  readonly seal: KeySeal;
  readonly ref: IdempotencyRef;
  readonly mode: Mode;
  /** `seal` completes a key that an earlier commit of the same request has `started`. */
  readonly write: 'claim' | 'seal';
  render(value: Value): WireReply;
}

/** The same use by a step whose value holds more than what is answered. */
export function answering<Value, Held>(
  idempotent: Idempotent<Value> | null,
  valueOf: (held: Held) => Value,
): Idempotent<Held> | null {
  return idempotent === null ? null : { ...idempotent, render: (held) => idempotent.render(valueOf(held)) };
}

interface KeyUse {
  readonly key: string;
  readonly scope: Scope;
  /** On embed calls the session; where there is none, the token itself, so that two browsers never meet. */
  readonly browser: string | null;
  readonly method: string;
  readonly path: string;
  readonly canonicalBody: string;
}

/** The key's seal and name, and the fingerprint of its use (spec: Idempotency; `docs/spec-notes.md` C2). */
export function identifyUse(engine: Pick<Engine, 'crypto'>, use: KeyUse): Pick<Idempotent<never>, 'seal' | 'ref'> {
  const scope = idempotencyScope(use.scope, use.browser);
  const seal = engine.crypto.keySeal(scope, use.key);
  const fingerprint = seal.fingerprint(fingerprintText(use.method, use.path, use.canonicalBody));
  return { seal, ref: { scope, keyHash: seal.hash, fingerprint } };
}

/** Status and headers as one line of JSON, then the body as it is: no byte of it is escaped or parsed. */
export function sealReply({ seal, ref }: Pick<Idempotent<never>, 'seal' | 'ref'>, reply: WireReply): string {
  return seal.seal(`${JSON.stringify([reply.status, reply.headers])}\n${reply.body}`, ref.fingerprint);
}

export function openReply({ seal, ref }: Pick<Idempotent<never>, 'seal' | 'ref'>, sealed: string): WireReply {
  const text = seal.open(sealed, ref.fingerprint);
  if (text === null) throw new Error('A stored reply cannot be decrypted with its own key.');
  const line = text.indexOf('\n');
  // We sealed exactly this pair, and sealing is authenticated.
  const [status, headers] = JSON.parse(text.slice(0, line)) as [number, Record<string, string>];
  return { status, headers, body: text.slice(line + 1) };
}
