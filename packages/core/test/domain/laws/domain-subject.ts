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

/** The domain rules by name, so that a law can be run against a changed one. */
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

/** The rules under test; planted faults can replace them. */
export interface DomainSubject extends Readonly<typeof rules> {
  /** The signed content of one attempt. `wallSeconds` is the wall-clock time of this attempt. */
  signAttempt(attempt: AttemptToSign): SignedAttempt;
  /** The verdict of a receiver on the raw bytes and the header. */
  verifyAttempt(received: ReceivedAttempt): boolean;
}

/** The input of signing a delivery attempt. */
export interface AttemptToSign {
  readonly event: GateEvent;
  /** Newest first; more than one during the grace period of a rotation. */
  readonly secrets: readonly string[];
  readonly wallSeconds: number;
}

/** A delivery attempt with its signature. */
export interface SignedAttempt {
  readonly body: string;
  /** The value of `Gate-Signature`. */
  readonly signature: string;
}

/** A delivery attempt as received. */
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

/** Laws of one topic over the domain rules. */
export function domainTopic(
  topic: string,
  laws: Readonly<Record<string, (domain: DomainSubject) => void>>,
): readonly Law<DomainSubject>[] {
  return Object.entries(laws).map(([title, check]) => ({ topic, title, run: async (domain) => check(domain) }));
}

/** The code of a refusal; null if there is none. */
export function refusalOf(result: {
  match<Answer>(ok: () => Answer, err: (refusal: Refusal) => Answer): Answer;
}): string | null {
  return result.match<string | null>(
    () => null,
    (refusal) => refusal.code,
  );
}
