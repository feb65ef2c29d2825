import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { JsonText } from '../../domain/json/json-text.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { CLIENT_SECRET_RANDOM_LENGTH, clientSecret, clientSecretPrefix } from '../../domain/session/client-secret.js';
import { openSession } from '../../domain/session/open-session.js';
import type { KycAcceptance, Session } from '../../domain/session/session.js';
import type { Terms } from '../../domain/session/terms.js';
import type { Change } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { execute, findStored, type Decision, type KeyRefusal } from '../execute.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { TryAgain } from '../try-again.js';
import { inserted, sessionEvents, type EventWrites } from '../writes.js';

/** A create body whose every field has been checked. */
export interface CreateSession {
  readonly terms: Terms;
  readonly returnUrl: string;
  readonly cancelUrl: string | null;
  /** Origins of the URLs above, to be held against the partner's list. */
  readonly origins: readonly { readonly field: string; readonly origin: string }[];
  readonly userReference: string | null;
  readonly kycPackage: KycPackage | null;
  readonly metadata: JsonText;
}

export interface KycPackage {
  readonly provider: string;
  readonly body: JsonText;
  readonly canonical: string;
}

export interface CreatedSession {
  readonly session: Session;
  /** The session as its `created` event froze it: rendered once for the event and the answer. */
  readonly resource: JsonText;
  /** Shown once; only its hash and prefix are kept. */
  readonly clientSecret: string;
}

export type CreateSessionRefusal = Refusal<'origin_not_allowed' | 'kyc_package_not_trusted' | 'swap_not_enabled'>;

/**
 * Opens a session, its first events with it (spec: States, create). With a key the same request
 * gives the same bytes for 24 hours, however many arrive at once.
 */
export async function createSession(
  engine: Engine,
  caller: { readonly partner: Partner; readonly mode: Mode },
  input: CreateSession,
  idempotent: Idempotent<CreatedSession> | null,
): Promise<Result<Answered<CreatedSession>, CreateSessionRefusal | KeyRefusal | Refusal<'operation_in_progress'>>> {
  const scope: Scope = { partnerId: caller.partner.id, mode: caller.mode };
  const done = await onePerKey(engine, idempotent, () =>
    input.kycPackage === null
      ? execute(engine, () => decide(engine, caller.partner, scope, input, null), idempotent)
      : createVouched(engine, caller.partner, scope, input, input.kycPackage, idempotent),
  );
  return done.andThen(answered);
}

/** The vault gets the package before the commit and forgets it when nothing was committed. */
async function createVouched(
  engine: Engine,
  partner: Partner,
  scope: Scope,
  input: CreateSession,
  kycPackage: KycPackage,
  idempotent: Idempotent<CreatedSession> | null,
) {
  const stored = idempotent === null ? null : await findStored(engine, idempotent);
  if (stored !== null) return stored;
  const refused = refusalOf(partner, input);
  if (refused !== null) return refused;
  const now = engine.clock.now(scope.mode);
  const sessionId = engine.ids.object(now);
  await engine.vault.store({ sessionId, ...scope, body: kycPackage.body, forgetBy: now + engine.policy.kycRetention });
  const done = await execute(
    engine,
    () => decide(engine, partner, scope, input, { sessionId, kycPackage }),
    idempotent,
  ).catch(async (error: unknown) => {
    // Then nothing was committed. After any other error that is unknown, and the package waits for its `forgetBy`.
    if (error instanceof TryAgain) await engine.vault.forget(sessionId);
    throw error;
  });
  if (done.isErr() || done.value.kind !== 'fresh') await engine.vault.forget(sessionId);
  return done;
}

function decide(
  engine: Engine,
  partner: Partner,
  scope: Scope,
  input: CreateSession,
  vouched: { readonly sessionId: string; readonly kycPackage: KycPackage } | null,
): DecidedCreate | Promise<DecidedCreate> {
  const refused = refusalOf(partner, input);
  if (refused !== null) return refused;
  const now = engine.clock.now(scope.mode);
  const id = vouched?.sessionId ?? engine.ids.object(now);
  const secret = clientSecret(id, engine.ids.secret(CLIENT_SECRET_RANDOM_LENGTH));
  const kyc: KycAcceptance | null =
    vouched === null
      ? null
      : {
          provider: vouched.kycPackage.provider,
          acceptedAt: now,
          digest: engine.crypto.keyedHash('kyc-package', vouched.kycPackage.canonical),
        };
  const opened = openSession(
    {
      id,
      scope,
      terms: input.terms,
      returnUrl: input.returnUrl,
      cancelUrl: input.cancelUrl,
      userReference: input.userReference,
      kyc,
      metadata: input.metadata,
      secretPrefix: clientSecretPrefix(secret),
      secretHash: engine.crypto.hash(secret),
    },
    now,
    engine.policy,
  );
  const value: CreatedSession = { session: opened.session, resource: opened.resource, clientSecret: secret };
  const sessions = [inserted(opened.session)];
  const events = sessionEvents(engine, opened.session, opened.announcements, now);
  if (events instanceof Promise)
    return events.then((found) => ok({ change: changeOf(scope, now, sessions, found), value }));
  return ok({ change: changeOf(scope, now, sessions, events), value });
}

type DecidedCreate = Result<Decision<CreatedSession>, CreateSessionRefusal>;

function changeOf(
  scope: Scope,
  now: Instant,
  sessions: Change['sessions'],
  { events, deliveries, consumers }: EventWrites,
): Change {
  return {
    scope,
    now,
    idempotency: null,
    once: [],
    sessions,
    intents: [],
    transactions: [],
    events,
    deliveries,
    consumers,
    tasks: [],
    finishes: [],
    counters: [],
  };
}

function refusalOf(partner: Partner, input: CreateSession): Result<never, CreateSessionRefusal> | null {
  const foreign = input.origins.find(({ origin }) => !isAllowedOrigin(partner.allowedOrigins, origin));
  if (foreign !== undefined) {
    return refuse('origin_not_allowed', `The origin of ${foreign.field} is not one of your allowed domains.`);
  }
  if (input.terms.flow === 'swap' && !isEntitled(partner, 'swap')) {
    return refuse('swap_not_enabled', 'Swap is not enabled for your account.');
  }
  if (input.kycPackage !== null && !partner.kycTrusted) {
    return refuse('kyc_package_not_trusted', 'Your account is not trusted to supply a kyc_package.');
  }
  return null;
}
