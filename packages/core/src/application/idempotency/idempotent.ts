import { fingerprintText, idempotencyScope, type WireReply } from '../../domain/idempotency/idempotency.js';
import type { Scope } from '../../domain/mode.js';
import type { IdempotencyRef } from '../../ports/change.js';
import type { KeySeal } from '../../ports/crypto.js';
import type { Engine } from '../engine.js';

/** One use of an idempotency key, and how the reply to repeat is rendered. */
export interface Idempotent<Value> {
  /** Encrypts and decrypts the replies of this key, so that the key itself need not be passed on. */
  readonly seal: KeySeal;
  readonly ref: IdempotencyRef;
  /** By whose clock the key expires. */
  readonly owner: Scope;
  /** `seal` completes a key that an earlier commit of the same request `started`. */
  readonly write: 'claim' | 'seal';
  render(value: Value): WireReply;
}

/** Adapts a use of a key to a step whose value contains more than the response. */
export function answering<Value, Held>(
  idempotent: Idempotent<Value> | null,
  valueOf: (held: Held) => Value,
): Idempotent<Held> | null {
  return idempotent === null ? null : { ...idempotent, render: (held) => idempotent.render(valueOf(held)) };
}

interface KeyUse {
  readonly key: string;
  readonly scope: Scope;
  /** On embed calls the session or, without one, the token itself, so that two browsers never share a key. */
  readonly browser: string | null;
  readonly method: string;
  readonly path: string;
  readonly canonicalBody: string;
}

/** The key's seal and hash, and the fingerprint of its request (spec: Idempotency; `docs/spec-notes.md` C2). */
export function identifyUse(engine: Pick<Engine, 'crypto'>, use: KeyUse): Pick<Idempotent<never>, 'seal' | 'ref'> {
  const scope = idempotencyScope(use.scope, use.browser);
  const seal = engine.crypto.keySeal(scope, use.key);
  const fingerprint = seal.fingerprint(fingerprintText(use.method, use.path, use.canonicalBody));
  return { seal, ref: { scope, keyHash: seal.hash, fingerprint } };
}

/** One line of JSON with status and headers, then the body verbatim: no byte of it is escaped or parsed. */
export function sealReply({ seal, ref }: Pick<Idempotent<never>, 'seal' | 'ref'>, reply: WireReply): string {
  return seal.seal(`${JSON.stringify([reply.status, reply.headers])}\n${reply.body}`, ref.fingerprint);
}

export function openReply({ seal, ref }: Pick<Idempotent<never>, 'seal' | 'ref'>, sealed: string): WireReply {
  const text = seal.open(sealed, ref.fingerprint);
  if (text === null) throw new Error('A stored reply cannot be decrypted with its own key.');
  const line = text.indexOf('\n');
  // Sealing is authenticated, so this is the pair that `sealReply` wrote.
  const [status, headers] = JSON.parse(text.slice(0, line)) as [number, Record<string, string>];
  return { status, headers, body: text.slice(line + 1) };
}
