import { apply, unchanged } from '../../application/commit/apply.js';
import { releasePaused } from '../../application/deliveries/release-paused.js';
import { countSelection, type ReplayCounts, replaySelection } from '../../application/webhooks/replay-deliveries.js';
import { endpointChange, withBoundSecrets } from '../../application/webhooks/webhook-endpoint.js';
import { type Instant, SECOND } from '../../domain/instant.js';
import { sortedJson } from '../../domain/audit.js';
import { MODES, scopeOf, type Scope } from '../../domain/mode.js';
import type { WebhookEndpoint, WebhookSecret } from '../../domain/partner/partner.js';
import type { EventType } from '../../domain/webhook/event-types.js';
import { parseSignatureHeader, textToSign } from '../../domain/webhook/signature.js';
import { emptyChange } from '../../ports/change.js';
import {
  callerProblems,
  endpointProblems,
  partnerIdProblems,
  replayOrderProblems,
  scopeProblems,
  webhookSecretProblems,
} from '../checks/check-administration.js';
import { type AdminContext, partnerStoreOf } from './partners.js';
import { GateArgumentError, throwIfAny } from '../checks/argument-error.js';

/** Which dead-lettered webhooks to replay, and how fast. Without any member: all of them. */
export interface ReplayOrder {
  /** By default all types. */
  readonly eventTypes?: readonly EventType[];
  /** Deliveries created at or after this instant. */
  readonly createdAfter?: Instant;
  /** Deliveries created before this instant. */
  readonly createdBefore?: Instant;
  /** Deliveries dead-lettered before this instant, by default the time of the call. */
  readonly deadBefore?: Instant;
  /** Deliveries to queue per second: 1 to 500, 50 by default. */
  readonly perSecond?: number;
  /** Only counts, and changes nothing. */
  readonly isDryRun?: boolean;
  /** Called after each commit with the counts so far. */
  readonly onProgress?: (counts: ReplayCounts) => void;
}

const REPLAYS_PER_SECOND = 50;

/** Which secret of the endpoint made a signature, or why none did. */
export interface SignatureCheck {
  /** `expired`: the previous secret, whose grace period is over. */
  readonly result: 'current' | 'previous' | 'expired' | 'mismatch' | 'malformed';
  /** The time in the header; null if that is malformed. */
  readonly signedAt: Instant | null;
}

export interface EndpointAdministration {
  /** Sets the webhook URL; a null `secret` keeps the current secrets, including those of a concurrent rotation. */
  setEndpoint(scope: Scope, endpoint: { readonly url: string | null; readonly secret: string | null }): Promise<void>;
  /**
   * Stops sending to the endpoint until it is resumed, without counting attempts. Deliveries are still written and wait; a running attempt
   * ends as usual. Idempotent.
   */
  pauseEndpoint(scope: Scope): Promise<WebhookEndpoint>;
  /** Sends the waiting deliveries in order and within the endpoint's limits, unless its partner is paused too. */
  resumeEndpoint(scope: Scope): Promise<WebhookEndpoint>;
  /** Pauses the endpoints of both modes, including ones set later. */
  pausePartner(partnerId: string): Promise<void>;
  /** Ends the pause of a partner. Endpoints that were paused individually stay paused. */
  resumePartner(partnerId: string): Promise<void>;
  /**
   * Sends dead-lettered webhooks again, oldest first: the same events and bytes, with all attempts available again. They use the lane of
   * retries, and are queued at a limited pace, so new events are not delayed. An interrupted call may be repeated, with the same
   * `deadBefore`: it queues what is left, and nothing twice. Returns the number of deliveries by event type.
   */
  replayDeliveries(scope: Scope, order?: ReplayOrder): Promise<ReplayCounts>;
  /**
   * Says whether a `Gate-Signature` header belongs to the bytes of an event, without its age. Null if there is no such event or endpoint.
   */
  checkSignature(scope: Scope, eventId: string, header: string): Promise<SignatureCheck | null>;
  /** The endpoint as stored, with encrypted secrets; null if none was ever set. */
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
  /**
   * Encrypts a signing secret with the master key, in the form that `findEndpoint` of a host's own `Partners` returns. With an `owner` it
   * can be decrypted only for that partner and mode.
   */
  sealSecret(secret: string, owner?: Scope): Promise<string>;
}

export function endpointAdministration({ engine, ready, by }: AdminContext): EndpointAdministration {
  const { clock, crypto } = engine;
  const saved = (action: string, scope: Scope, known: WebhookEndpoint | null, row: WebhookEndpoint) => {
    if (known !== null && sortedJson(known) === sortedJson(row)) return unchanged(row);
    const change = { ...emptyChange(scope, clock.now(scope)), endpoints: [{ row, expected: known }] };
    return { change, value: row, audited: [endpointChange(by, action, row, known)] };
  };
  const change = async (
    action: string,
    scope: Scope,
    next: (known: WebhookEndpoint | null) => WebhookEndpoint,
  ): Promise<WebhookEndpoint> => {
    const store = partnerStoreOf(engine);
    await ready();
    const { value } = await apply(engine, {
      load: () => store.findEndpoint(scope),
      decide: (known) => saved(action, scope, known, next(known)),
    });
    return value;
  };
  return {
    setEndpoint: async (scope, endpoint) => {
      throwIfAny('setEndpoint received invalid arguments', scopeProblems(scope), endpointProblems(endpoint));
      const { url, secret } = endpoint;
      const store = partnerStoreOf(engine);
      await ready();
      const secretsOf = (known: WebhookEndpoint | null): WebhookEndpoint['secrets'] => {
        if (secret !== null)
          return [{ sealed: crypto.sealSecret(secret, scope), createdAt: clock.now(scope), expiresAt: null }];
        if (known === null) return [];
        // A server sets the same URL at every start, when a process of the previous version may still have to decrypt the secrets.
        return known.url === url ? known.secrets : withBoundSecrets(crypto, known).secrets;
      };
      await apply(engine, {
        load: () => store.findEndpoint(scope),
        decide: (known) => {
          const isUnsigned = url !== null && secret === null && (known === null || known.secrets.length === 0);
          throwIfAny(
            'setEndpoint received invalid arguments',
            isUnsigned ? ['secret must be given with the first url: without one no webhook could be signed.'] : [],
          );
          return saved('endpoint.set', scope, known, { ...known, ...scopeOf(scope), url, secrets: secretsOf(known) });
        },
      });
    },
    pauseEndpoint: async (scope) => {
      throwIfAny('pauseEndpoint received invalid arguments', scopeProblems(scope));
      return change('endpoint.pause', scope, (known) => {
        const before = known ?? noEndpoint('pauseEndpoint');
        return { ...before, pausedAt: before.pausedAt ?? clock.now(scope) };
      });
    },
    resumeEndpoint: async (scope) => {
      throwIfAny('resumeEndpoint received invalid arguments', scopeProblems(scope));
      const row = await change('endpoint.resume', scope, (known) => ({
        ...(known ?? noEndpoint('resumeEndpoint')),
        pausedAt: null,
      }));
      await releasePaused(engine);
      return row;
    },
    pausePartner: async (partnerId) => {
      throwIfAny('pausePartner received invalid arguments', partnerIdProblems(partnerId));
      for (const scope of scopesOf(partnerId))
        await change('partner.pause', scope, (known) => ({
          ...(known ?? { ...scope, url: null, secrets: [] }),
          partnerPausedAt: known?.partnerPausedAt ?? clock.now(scope),
        }));
    },
    resumePartner: async (partnerId) => {
      throwIfAny('resumePartner received invalid arguments', partnerIdProblems(partnerId));
      for (const scope of scopesOf(partnerId))
        if ((await partnerStoreOf(engine).findEndpoint(scope)) !== null)
          await change('partner.resume', scope, (known) => ({
            ...(known ?? { ...scope, url: null, secrets: [] }),
            partnerPausedAt: null,
          }));
      await releasePaused(engine);
    },
    replayDeliveries: async (scope, order = {}) => {
      throwIfAny('replayDeliveries received invalid arguments', callerProblems(scope), replayOrderProblems(order));
      const { eventTypes = null, createdAfter = null, createdBefore = null } = order;
      const deadBefore = order.deadBefore ?? clock.now(scope) + 1;
      const selection = { eventTypes, createdAfter, createdBefore, deadBefore };
      if (order.isDryRun === true) return countSelection(engine, scope, selection);
      await ready();
      const { perSecond = REPLAYS_PER_SECOND, onProgress = () => undefined } = order;
      return (
        (await replaySelection(engine, scope, selection, { perSecond, onProgress }, by)) ??
        noEndpoint('replayDeliveries')
      );
    },
    checkSignature: async (scope, eventId, header) => {
      throwIfAny('checkSignature received invalid arguments', callerProblems(scope));
      await ready();
      const [event, endpoint] = await Promise.all([
        engine.store.find('event', scope, eventId),
        engine.partners.findEndpoint(scope),
      ]);
      if (event === null || endpoint === null) return null;
      const parsed = parseSignatureHeader(header);
      if (parsed === null) return { result: 'malformed', signedAt: null };
      const { t, v1 } = parsed;
      const made = ({ sealed }: WebhookSecret): boolean => {
        const expected = crypto.hmacHex(crypto.openSecret(sealed, scope), textToSign(t, event.body));
        return v1.some((hex) => crypto.equal(hex, expected));
      };
      const secret = endpoint.secrets.find(made);
      return { result: secret === undefined ? 'mismatch' : nameOf(secret, clock.now(scope)), signedAt: t * SECOND };
    },
    findEndpoint: async (scope) => {
      throwIfAny('findEndpoint received invalid arguments', scopeProblems(scope));
      return partnerStoreOf(engine).findEndpoint(scope);
    },
    sealSecret: async (secret, owner) => {
      const ownerProblems = owner === undefined ? [] : callerProblems(owner);
      throwIfAny('sealSecret received invalid arguments', webhookSecretProblems(secret), ownerProblems);
      await ready();
      return crypto.sealSecret(secret, owner);
    },
  };
}

function nameOf({ expiresAt }: WebhookSecret, now: Instant): SignatureCheck['result'] {
  if (expiresAt === null) return 'current';
  return now < expiresAt ? 'previous' : 'expired';
}

function scopesOf(partnerId: string): readonly Scope[] {
  return MODES.map((mode) => ({ partnerId, mode }));
}

function noEndpoint(call: string): never {
  throw new GateArgumentError(`${call} received invalid arguments`, [
    'this partner has no webhook endpoint in this mode; set one with setEndpoint first.',
  ]);
}
