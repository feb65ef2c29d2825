import type { Instant } from '../instant.js';
import type { JsonText } from '../json/json-text.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import { kycPackageAcceptance } from './kyc-package-acceptance.js';
import {
  andThen,
  announceData,
  type GivenAtCreate,
  type KycAcceptance,
  type Session,
  type Transition,
} from './session.js';
import { sessionResource, type GateSession } from './session-resource.js';

/** Everything a new session is made of; ids and secrets were minted before. */
export interface NewSession {
  readonly given: GivenAtCreate;
  readonly id: string;
  readonly scope: Scope;
  readonly kyc: KycAcceptance | null;
  readonly secretPrefix: string;
  readonly secretHash: string;
}

/** A session that has just been opened, and what is announced of it. */
export interface OpenedSession extends Transition {
  /** The new session as partners see it, which is also the data of its first event. */
  readonly resource: JsonText<GateSession>;
}

/**
 * A new session with its first event, `gate_session.created`, which is announced here. Member by member, as spreading
 * what is given cost more than all else that a create decides.
 */
export function openSession(input: NewSession, now: Instant, policy: Policy): OpenedSession {
  const { given, scope, kyc } = input;
  const session: Session = {
    id: input.id,
    partnerId: scope.partnerId,
    mode: scope.mode,
    terms: given.terms,
    returnUrl: given.returnUrl,
    cancelUrl: given.cancelUrl,
    userReference: given.userReference,
    metadata: given.metadata,
    kyc,
    secretPrefix: input.secretPrefix,
    secretHash: input.secretHash,
    version: 1,
    sequence: 0,
    status: 'open',
    createdAt: now,
    expiresAt: now + policy.sessionLifetime,
    intentId: null,
    attempts: 0,
    heldSince: null,
    txRefid: null,
  };
  const resource = sessionResource(session);
  const created = announceData(session, 'gate_session.created', resource);
  if (kyc === null) return { session: created.session, announcements: created.announcements, resource };
  const vouched = andThen(created, (next) =>
    announceData(next, 'gate_session.kyc_package_accepted', kycPackageAcceptance(next, kyc)),
  );
  return { ...vouched, resource };
}
