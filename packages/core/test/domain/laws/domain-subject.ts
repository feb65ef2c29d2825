import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  cancel,
  announce,
  complete,
  cutPage,
  expireIfDue,
  isFresh,
  openSession,
  parseKey,
  parseSignatureHeader,
  freezeEvent,
  recordDeliveryAttempt,
  signatureHeader,
  type GateEvent,
} from '@gateramp/core/domain';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { bindTerms } from '../../../src/domain/session/terms.js';
import { checkHost } from '../../../src/domain/keys/api-key.js';
import { checkKeyLife } from '../../../src/domain/keys/api-key.js';
import { endIntent } from '../../../src/domain/purchase/end-intent.js';
import { idempotencyScope } from '../../../src/domain/idempotency/idempotency.js';
import { textToSign } from '../../../src/domain/webhook/signature.js';
import type { Refusal } from '../../../src/domain/refusal.js';
import type { Law } from '../../../../conformance/src/law.js';

/** The pure rules under their own names, so that a law can be tried on a changed one. */
const rules = {
  announce,
  applyOutcome,
  bindTerms,
  cancel,
  checkHost,
  checkKeyLife,
  complete,
  cutPage,
  endIntent,
  expireIfDue,
  idempotencyScope,
  isFresh,
  openSession,
  parseKey,
  freezeEvent,
  recordDeliveryAttempt,
};

/** The rules that the laws are about, so that planted faults can replace them. */
export interface DomainSubject extends Readonly<typeof rules> {
  /** What one attempt at an event sends. `wallSeconds` is the wall clock at this very attempt. */
  signAttempt(attempt: AttemptToSign): SignedAttempt;
  /** What a receiver concludes from the raw bytes and the header. */
  verifyAttempt(received: ReceivedAttempt): boolean;
}

/** What a delivery attempt is signed over. */
export interface AttemptToSign {
  readonly event: GateEvent;
  /** Newest first; more than one during a rotation's grace. */
  readonly secrets: readonly string[];
  readonly wallSeconds: number;
}

/** A delivery attempt with its signature. */
export interface SignedAttempt {
  readonly body: string;
  /** The value of `Gate-Signature`. */
  readonly signature: string;
}

/** A delivery attempt as its receiver has it. */
export interface ReceivedAttempt {
  readonly body: Uint8Array;
  readonly signature: string;
  readonly secret: string;
  readonly nowSeconds: number;
  readonly toleranceSeconds: number;
}

/** The engine's own rules, signed and verified with Node's HMAC. */
export const gateDomain: DomainSubject = {
  ...rules,
  signAttempt({ event, secrets, wallSeconds }) {
    const text = textToSign(wallSeconds, event.body);
    const signatures = secrets.map((secret) => createHmac('sha256', secret).update(text).digest('hex'));
    return { body: event.body, signature: signatureHeader(wallSeconds, signatures) };
  },
  verifyAttempt({ body, signature, secret, nowSeconds, toleranceSeconds }) {
    const parsed = parseSignatureHeader(signature);
    if (parsed === null || !isFresh(parsed.t, nowSeconds, toleranceSeconds)) return false;
    const expected = createHmac('sha256', secret).update(textToSign(parsed.t, '')).update(body).digest();
    return parsed.v1.some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
  },
};

/** Laws of one topic over the pure rules. */
export function domainTopic(
  topic: string,
  laws: Readonly<Record<string, (domain: DomainSubject) => void>>,
): readonly Law<DomainSubject>[] {
  return Object.entries(laws).map(([title, check]) => ({ topic, title, run: async (domain) => check(domain) }));
}

/** The code of a refusal; null when nothing was refused. */
export function refusalOf(result: {
  match<Answer>(ok: () => Answer, err: (refusal: Refusal) => Answer): Answer;
}): string | null {
  return result.match<string | null>(
    () => null,
    (refusal) => refusal.code,
  );
}
