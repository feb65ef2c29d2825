import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { JsonText } from '../../domain/json.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import {
  CLIENT_SECRET_RANDOM_LENGTH,
  clientSecret,
  clientSecretPrefix,
  openSession,
} from '../../domain/session/open-session.js';
import type { GivenAtCreate, KycAcceptance, Session } from '../../domain/session/session.js';
import type { GateSession } from '../../domain/session/session-resource.js';
import { emptyChange } from '../../ports/change.js';
import {
  type Audience,
  forgetPackage,
  inserted,
  type KeyRefusal,
  loadAudience,
  sessionEvents,
} from '../commit/row-writes.js';
import { type Decision, TryAgain } from '../commit/apply.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { type Keyed, keyed, unlessStored } from '../idempotency/keyed.js';

/** A create request whose fields have all been checked. */
export interface CreateSession {
  readonly given: GivenAtCreate;
  /** Origins of its URLs, to be checked against the partner's list. */
  readonly origins: readonly { readonly field: string; readonly origin: string }[];
  readonly kycPackage: KycPackage | null;
}

export interface KycPackage {
  readonly provider: string;
  readonly body: JsonText;
  readonly canonical: string;
}

export interface CreatedSession {
  readonly session: Session;
  /** The session as frozen in its `created` event: rendered once for the event and the response. */
  readonly resource: JsonText<GateSession>;
  /** Shown once; only its hash and prefix are stored. */
  readonly clientSecret: string;
}

type CreateSessionRefusal = Refusal<'origin_not_allowed' | 'kyc_package_not_trusted' | 'swap_not_enabled'>;

/**
 * Opens a session together with its first events (spec: States 3). With a key, the same request gets the same bytes for 24 hours,
 * also under concurrency.
 */
export function createSession(
  engine: Engine,
  caller: { readonly partner: Partner; readonly mode: Mode },
  input: CreateSession,
  idempotent: Idempotent<CreatedSession> | null,
): Keyed<CreatedSession, CreateSessionRefusal> {
  const scope: Scope = { partnerId: caller.partner.id, mode: caller.mode };
  const create = (verified: VerifiedPackage | null): Created =>
    execute(
      engine,
      {
        load: async () => refusalOf(caller.partner, input) ?? ok(await loadAudience(engine, scope)),
        decide: (audience) => ok(open(engine, scope, input, verified, audience)),
      },
      idempotent,
    );
  const { kycPackage } = input;
  return keyed(engine, idempotent, () =>
    kycPackage === null
      ? create(null)
      : unlessStored(
          engine,
          idempotent,
          async () => refusalOf(caller.partner, input) ?? createWithPackage(engine, scope, kycPackage, create),
        ),
  );
}

type Created = Promise<Result<ExecuteResult<CreatedSession>, CreateSessionRefusal | KeyRefusal>>;

/** A package stored in the vault, and the session it belongs to. */
interface VerifiedPackage {
  readonly sessionId: string;
  readonly kycPackage: KycPackage;
}

/** The package is stored in the vault before the commit, and deleted from it if nothing was committed. */
async function createWithPackage(
  engine: Engine,
  scope: Scope,
  kycPackage: KycPackage,
  create: (verified: VerifiedPackage) => Created,
): Created {
  const now = engine.clock.now(scope);
  const sessionId = engine.ids.object(now);
  // The vault is swept by the time of the mode, which the sandbox may be ahead of.
  const forgetBy = engine.clock.ofMode(scope.mode) + engine.policy.kycRetention;
  const stored = engine.vault.store({ sessionId, ...scope, body: kycPackage.body, forgetBy });
  const waited = await engine.deadlines.within(stored, engine.policy.providerAnswerTimeout);
  // It may still be stored, and is then deleted at its `forgetBy`.
  if (waited.kind === 'late')
    throw Object.assign(new Error('The vault did not store a kyc_package in time.'), { outage: true });
  const done = await create({ sessionId, kycPackage }).catch(async (error: unknown) => {
    // `TryAgain`: nothing was committed. After any other error the result is unknown, and the package stays until its `forgetBy`.
    if (error instanceof TryAgain) void forgetPackage(engine, sessionId);
    throw error;
  });
  if (done.isErr() || done.value.kind !== 'fresh') void forgetPackage(engine, sessionId);
  return done;
}

function open(
  engine: Engine,
  scope: Scope,
  input: CreateSession,
  verified: VerifiedPackage | null,
  audience: Audience,
): Decision<CreatedSession> {
  const now = engine.clock.now(scope);
  const id = verified?.sessionId ?? engine.ids.object(now);
  const secret = clientSecret(id, engine.ids.secret(CLIENT_SECRET_RANDOM_LENGTH));
  const { session, resource, announcements } = openSession(
    {
      given: input.given,
      id,
      scope,
      kyc: verified === null ? null : acceptanceOf(engine, verified.kycPackage, now),
      secretPrefix: clientSecretPrefix(secret),
      secretHash: engine.crypto.hash(secret),
    },
    now,
    engine.policy,
  );
  const { events, deliveries, consumers } = sessionEvents(engine, audience, session, announcements, now);
  return {
    change: { ...emptyChange(scope, now), sessions: [inserted(session)], events, deliveries, consumers },
    value: { session, resource, clientSecret: secret },
  };
}

/** Only a keyed digest of the package is stored. */
function acceptanceOf({ crypto }: Engine, { provider, canonical }: KycPackage, now: Instant): KycAcceptance {
  return { provider, acceptedAt: now, digest: crypto.keyedHash('kyc-package', canonical) };
}

function refusalOf(partner: Partner, input: CreateSession): Result<never, CreateSessionRefusal> | null {
  const disallowed = input.origins.find(({ origin }) => !isAllowedOrigin(partner.allowedOrigins, origin));
  if (disallowed !== undefined) {
    return refuse('origin_not_allowed', `The origin of ${disallowed.field} is not one of your allowed domains.`);
  }
  if (input.given.terms.flow === 'swap' && !isEntitled(partner, 'swap')) {
    return refuse('swap_not_enabled', 'Swap is not enabled for your account.');
  }
  if (input.kycPackage !== null && !partner.kycTrusted) {
    return refuse('kyc_package_not_trusted', 'Your account is not trusted to supply a kyc_package.');
  }
  return null;
}
