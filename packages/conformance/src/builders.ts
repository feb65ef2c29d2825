import { DEFAULT_POLICY, type ApiKey, type Mode, type Partner, type Scope, type WebhookEndpoint } from '@gateramp/core';
import {
  beginPurchase,
  leasedTask,
  newDelivery,
  newTask,
  openSession,
  freezeEvent,
  toJsonText,
  type Announcement,
  type PaymentAttempt,
  type Delivery,
  type DeliveryTarget,
  type GateEvent,
  type GivenAtCreate,
  type Instant,
  type JsonText,
  type SessionPurchase,
  type Session,
  type Task,
  type Terms,
  type Transition,
} from '@gateramp/core/domain';
import type { Document } from '@gateramp/core/ports';

/** The instant at which examples begin. Fixed, since that reads better in failures. */
export const T0: Instant = Date.UTC(2026, 0, 15, 12);

/** The policy of the examples. */
export const POLICY = DEFAULT_POLICY;

/** A partner in test mode. */
export const ACME: Scope = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' };
/** The same partner in live mode. */
export const ACME_LIVE: Scope = { ...ACME, mode: 'live' };
/** Another partner in test mode. */
export const BOLT: Scope = { partnerId: '65f0c0ffee65f0c0ffee0002', mode: 'test' };

let minted = 0;

/** 24 hex digits, ordered by `at` and then by creation, like the engine's own ids. */
export function anId(at: Instant): string {
  return hex(at, 12) + hex(++minted, 12);
}

/** `gtx_` and 20 base32 characters, ordered by `at` and then by creation, like the engine's own: 48 bits of time and 52 others. */
export function aRefid(at: Instant): string {
  return `gtx_${(at * 4).toString(32).padStart(10, '0')}${(++minted).toString(32).padStart(10, '0')}`;
}

/** A new version 4 UUID, for event ids and lease tokens. */
export function aUuid(): string {
  return `00000000-0000-4000-8000-${hex(++minted, 12)}`;
}

/** 64 unique hex digits, for hashes of keys and secrets. */
export function aHash(): string {
  return hex(++minted, 64);
}

/** The members of a session that an example sets. */
export interface SessionTraits {
  readonly scope?: Scope;
  readonly at?: Instant;
  readonly terms?: Partial<Terms>;
  readonly userReference?: string | null;
  readonly metadata?: JsonText;
}

/** A session that has just been created, with its `gate_session.created`. */
export function aSession(traits: SessionTraits = {}): Transition {
  const { scope = ACME, at = T0 } = traits;
  const id = anId(at);
  return openSession(
    {
      given: {
        ...GIVEN,
        terms: { ...OPEN_TERMS, ...traits.terms },
        userReference: traits.userReference ?? null,
        metadata: traits.metadata ?? GIVEN.metadata,
      },
      id,
      scope,
      kyc: null,
      secretPrefix: `gsec_${id}_AbCd`,
      secretHash: aHash(),
    },
    at,
    POLICY,
  );
}

/** Only what every session has: an amount and a currency. */
export const OPEN_TERMS: Terms = {
  flow: null,
  amount: '100.00',
  currency: 'EUR',
  targetToken: null,
  targetNetwork: null,
  walletAddress: null,
};

/** The minimum of a create body. */
export const GIVEN: GivenAtCreate = {
  terms: OPEN_TERMS,
  returnUrl: 'https://shop.example/done',
  metadata: toJsonText({}),
};

/** The first attempt of an open session without another attempt. */
export function aPurchase(session: Session, at: Instant, traits: Partial<PaymentAttempt> = {}): SessionPurchase {
  const attempt: PaymentAttempt = {
    flow: session.terms.flow ?? 'on_ramp',
    amount: session.terms.amount,
    currency: session.terms.currency,
    targetToken: 'USDC',
    targetNetwork: 'base',
    walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
    ...traits,
  };
  return beginPurchase(
    session,
    {
      id: anId(at),
      operationId: aUuid(),
      txRefid: aRefid(at),
      taskId: anId(at),
      provider: 'sandbox',
      attempt,
      sourceToken: attempt.flow === 'on_ramp' ? null : 'ETH',
      sourceNetwork: attempt.flow === 'on_ramp' ? null : 'ethereum',
      refundAddress: null,
      paymentMethod: 'card',
      countryCode: 'DE',
      quoteId: null,
    },
    at,
    POLICY,
  );
}

/** An event of a session, serialized like the engine's. */
export function anEvent(session: Session, announcement: Announcement, at: Instant): GateEvent {
  return freezeEvent(
    { id: aUuid(), partnerId: session.partnerId, mode: session.mode, sessionId: session.id, ...announcement },
    at,
  );
}

/** An event without a session. */
export function aPartnerEvent(scope: Scope, at: Instant, type = 'webhook.test'): GateEvent {
  return freezeEvent(
    { id: aUuid(), ...scope, sessionId: null, sequence: null, type, data: toJsonText({ object: 'webhook_test' }) },
    at,
  );
}

/** A new delivery of the event. */
export function aDelivery(event: GateEvent, at: Instant, target: DeliveryTarget = 'webhook'): Delivery {
  const { partnerId, mode, sessionId } = event;
  return newDelivery(
    { id: anId(at), eventId: event.id, eventType: event.type, sessionId, partnerId, mode, target },
    at,
  );
}

/** The members of a task that an example sets. */
export interface TaskTraits {
  readonly scope?: Scope;
  readonly at?: Instant;
  readonly dueAt?: Instant;
}

/** A task that is due. */
export function aTask(traits: TaskTraits = {}): Task {
  const { scope = ACME, at = T0 } = traits;
  return newTask(
    { id: anId(at), kind: 'provider_check', ...scope, subjectId: anId(at), dueAt: traits.dueAt ?? at },
    at,
  );
}

/** A task that is leased from the start, like that of a request which runs it at once. */
export function aLeasedTask(leaseToken: string, traits: TaskTraits = {}): Task {
  const { scope = ACME, at = T0 } = traits;
  const made = {
    id: anId(at),
    kind: 'provider_start',
    ...scope,
    subjectId: anId(at),
    dueAt: traits.dueAt ?? at,
  } as const;
  return leasedTask(made, leaseToken, at);
}

/** A document with the given members. */
export function aDocument(traits: Partial<Document> = {}): Document {
  const createdAt = traits.createdAt ?? T0;
  return {
    ...ACME,
    noun: 'note',
    id: anId(createdAt),
    version: 1,
    group: null,
    createdAt,
    keepUntil: null,
    body: '{"text":"as it was written"}' as JsonText,
    ...traits,
  };
}

/** A partner with default settings. */
export function aPartner(id: string = ACME.partnerId): Partner {
  return {
    id,
    name: 'Acme',
    allowedOrigins: ['https://shop.example'],
    kycTrusted: true,
    liveEnabled: true,
    entitlements: ['swap', 'pools'],
    completedSessionsQuota: 1000,
  };
}

/** A secret key of the scope, with a unique hash. */
export function aKey(scope: Scope = ACME): ApiKey {
  return {
    hash: aHash(),
    partnerId: scope.partnerId,
    type: 'secret',
    mode: scope.mode,
    prefix: `sk_${scope.mode}_AbCd`,
    createdAt: T0,
    expiresAt: null,
    revokedAt: null,
  };
}

/** An endpoint with a URL and one secret. */
export function anEndpoint(scope: Scope = ACME, url: string | null = 'https://shop.example/hooks'): WebhookEndpoint {
  return { ...scope, url, secrets: [{ sealed: 'sealed-secret', createdAt: T0, expiresAt: null }] };
}

/** The time of each mode, the same by default. */
export function nowIn(test: Instant, live: Instant = test): Readonly<Record<Mode, Instant>> {
  return { test, live };
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}
