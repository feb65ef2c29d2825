import type { Instant } from '../instant.js';
import type { JsonText } from '../json/json-text.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import { kycPackageAcceptance } from './kyc-package-acceptance.js';
import { andThen, announceData, type KycAcceptance, type Session, type Transition } from './session.js';
import { sessionResource, type GateSession } from './session-resource.js';
import type { Terms } from './terms.js';

/** Everything a new session is made of; ids and secrets were minted before. */
export interface NewSession {
  readonly id: string;
  readonly scope: Scope;
  readonly terms: Terms;
  readonly returnUrl: string;
  readonly cancelUrl: string | null;
  readonly userReference: string | null;
  readonly kyc: KycAcceptance | null;
  readonly metadata: JsonText;
  readonly secretPrefix: string;
  readonly secretHash: string;
}

export interface OpenedSession extends Transition {
  /** The new session as partners see it, which is also the data of its first event. */
  readonly resource: JsonText<GateSession>;
}

export function openSession(input: NewSession, now: Instant, policy: Policy): OpenedSession {
  const session: Session = {
    id: input.id,
    partnerId: input.scope.partnerId,
    mode: input.scope.mode,
    version: 1,
    sequence: 0,
    status: 'open',
    terms: input.terms,
    returnUrl: input.returnUrl,
    cancelUrl: input.cancelUrl,
    userReference: input.userReference,
    kyc: input.kyc,
    metadata: input.metadata,
    secretPrefix: input.secretPrefix,
    secretHash: input.secretHash,
    createdAt: now,
    expiresAt: now + policy.sessionLifetime,
    intentId: null,
    attempts: 0,
    heldSince: null,
    txRefid: null,
  };
  const resource = sessionResource(session);
  const created = announceData(session, 'gate_session.created', resource);
  const { kyc } = input;
  if (kyc === null) return { ...created, resource };
  const vouched = andThen(created, (next) =>
    announceData(next, 'gate_session.kyc_package_accepted', kycPackageAcceptance(next, kyc)),
  );
  return { ...vouched, resource };
}
