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

/** The fields of a new session; ids and secrets are generated beforehand. */
export interface NewSession {
  readonly given: GivenAtCreate;
  readonly id: string;
  readonly scope: Scope;
  readonly kyc: KycAcceptance | null;
  readonly secretPrefix: string;
  readonly secretHash: string;
}

/** A new session and its announcements. */
export interface OpenedSession extends Transition {
  /** The session as its partner sees it; also the data of its first event. */
  readonly resource: JsonText<GateSession>;
}

/**
 * Opens a session and announces `gate_session.created`. Copied member by member: spreading the input cost more than the rest of the
 * decision.
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
  const accepted = chain(created, (next) =>
    announceData(next, 'gate_session.kyc_package_accepted', kycPackageAcceptance(next, kyc)),
  );
  return { ...accepted, resource };
}

/** Characters of the random part of a client secret (spec: Create response). */
export const CLIENT_SECRET_RANDOM_LENGTH = 32;

/** Enough to identify a secret in a support case, too little to use it. */
const PREFIX_RANDOM_LENGTH = 4;

const CLIENT_SECRET = /^gsec_([0-9a-f]{24})_[0-9A-Za-z]{32}$/;

/** The secret that opens the session in a browser: `gsec_`, the session's id, and 32 random characters. */
export function clientSecret(sessionId: string, random: string): string {
  return `gsec_${sessionId}_${random}`;
}

/** The part of a client secret that may be shown later. */
export function clientSecretPrefix(secret: string): string {
  return secret.slice(0, 'gsec_'.length + 24 + 1 + PREFIX_RANDOM_LENGTH);
}

/** The session id in a client secret; null if the text is not well formed. Does not verify the secret. */
export function sessionIdOfClientSecret(secret: string): string | null {
  return CLIENT_SECRET.exec(secret)?.[1] ?? null;
}
