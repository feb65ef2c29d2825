import type { Instant } from '../instant.js';
import type { JsonText } from '../json.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import { type GateSession, sessionResource } from './session-resource.js';
import { kycPackageAcceptance } from './session-state.js';
import {
  chain,
  announceData,
  type GivenAtCreate,
  type KycAcceptance,
  type Session,
  type Transition,
} from './session.js';

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
    cancelUrl: given.cancelUrl ?? null,
    userReference: given.userReference ?? null,
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
  const vouched = chain(created, (next) =>
    announceData(next, 'gate_session.kyc_package_accepted', kycPackageAcceptance(next, kyc)),
  );
  return { ...vouched, resource };
}

/** Characters of the random part of a client secret (spec: Create response). */
export const CLIENT_SECRET_RANDOM_LENGTH = 32;

/** Enough to recognise a secret in a support case, too little to use it. */
const PREFIX_RANDOM_LENGTH = 4;

const CLIENT_SECRET = /^gsec_([0-9a-f]{24})_[0-9A-Za-z]{32}$/;

/** The text that opens the session in a browser: `gsec_`, the session's id, and 32 random characters. */
export function clientSecret(sessionId: string, random: string): string {
  return `gsec_${sessionId}_${random}`;
}

/** What may be shown of a client secret later. */
export function clientSecretPrefix(secret: string): string {
  return secret.slice(0, 'gsec_'.length + 24 + 1 + PREFIX_RANDOM_LENGTH);
}

/** The session a client secret claims to open, or null when it is not one. */
export function sessionIdOfClientSecret(secret: string): string | null {
  return CLIENT_SECRET.exec(secret)?.[1] ?? null;
}
