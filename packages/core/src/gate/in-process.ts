import type { Result } from 'neverthrow';
import { allowedOrigins, checkoutLook } from '../application/embed/embed-token.js';
import type { Engine } from '../application/engine.js';
import { cancelSession } from '../application/sessions/cancel-session.js';
import { createSession } from '../application/sessions/create-session.js';
import { retrieveSession } from '../application/sessions/read-sessions.js';
import { readTimeline } from '../application/timeline/read-timeline.js';
import { findTransaction } from '../application/transactions/read-transactions.js';
import { refundTransaction } from '../application/transactions/refund-transaction.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import { sessionResource } from '../domain/session/session-resource.js';
import { type GateTimelineEntry, timelineEntryResource } from '../domain/timeline.js';
import { transactionResource } from '../domain/transaction/transaction-resource.js';
import { idOf, type List, listEnvelope } from '../http/schema/lists.js';
import { TIMELINE_PATH } from '../http/sessions/endpoints.js';
import { CREATE_SESSION_BODY, createdSession } from '../http/sessions/schemas.js';
import { REFUND_TRANSACTION_BODY, type RefundGateTransaction } from '../http/transactions/schemas.js';
import { parsed } from './assemble.js';
import { callerProblems } from './checks/check-administration.js';
import { throwIfAny } from './checks/gate-fault.js';
import { callWithBody, type KeyedCall, type MoneyCall } from './keyed-call.js';
import type { CreatedGateSession, CreateGateSession, GateRefusal, GateSession, GateTransaction } from './resources.js';

/** The partner a host calls for. That there is none is the host's mistake, not a refusal. */
export async function partnerOf({ partners }: Engine, { partnerId }: Scope): Promise<Partner> {
  const partner = await partners.findPartner(partnerId);
  if (partner === null) throw new Error(`No such partner: ${partnerId}.`);
  return partner;
}

/** Sessions for hosts that call in process instead of over HTTP: the same rules, keys and shapes. */
export interface Sessions {
  /** Refuses like `POST /v1/gate_sessions`. A repeat with the same key gives the same session. */
  create(caller: Scope, body: CreateGateSession, options?: KeyedCall): Promise<Result<CreatedGateSession, GateRefusal>>;
  retrieve(caller: Scope, id: string): Promise<Result<GateSession, GateRefusal>>;
  cancel(caller: Scope, id: string): Promise<Result<GateSession, GateRefusal>>;
  /** Everything that happened to the session, oldest first. */
  timeline(caller: Scope, id: string): Promise<Result<List<GateTimelineEntry>, GateRefusal>>;
}

/** Transactions for hosts that look them up in process. */
export interface Transactions {
  /** By `gtx_…`; refused with `transaction_not_found` when it is not the caller's. */
  retrieve(caller: Scope, refid: string): Promise<Result<GateTransaction, GateRefusal>>;
  /** Refuses like `POST /v1/transactions/{refid}/refund`. A repeat with the same key refunds once. */
  refund(
    caller: Scope,
    refid: string,
    body: RefundGateTransaction,
    options: MoneyCall,
  ): Promise<Result<GateTransaction, GateRefusal>>;
}

export function inProcessSessions(engine: Engine, ready: () => Promise<void>): Sessions {
  return {
    create: async (caller, body, options) => {
      await ready();
      const owner = { partner: await partnerOf(engine, caller), mode: caller.mode };
      const given = { schema: CREATE_SESSION_BODY, given: body };
      const call = { caller, options, path: 'sessions.create', body: given, render: createdSession };
      return callWithBody(engine, call, (value, use) => createSession(engine, owner, value, use));
    },
    retrieve: async (caller, id) => (await retrieveSession(engine, caller, idOf(id))).map(asGateSession),
    cancel: async (caller, id) => (await cancelSession(engine, caller, idOf(id))).map(asGateSession),
    timeline: async (caller, id) => {
      const url = TIMELINE_PATH.replace('{id}', encodeURIComponent(id));
      const entries = await readTimeline(engine, caller, idOf(id));
      return entries.map((items) => parsed(listEnvelope({ items, hasMore: false }, url, timelineEntryResource)));
    },
  };
}

export function inProcessTransactions(engine: Engine, ready: () => Promise<void>): Transactions {
  return {
    refund: async (caller, refid, body, options) => {
      await ready();
      const given = { schema: REFUND_TRANSACTION_BODY, given: body };
      const path = `transactions.refund/${refid}`;
      const call = { caller, options, needsKey: true, path, body: given, render: transactionResource };
      return callWithBody(engine, call, (value, use) =>
        refundTransaction(engine, caller, { refid: idOf(refid), ...value }, use),
      );
    },
    retrieve: async (caller, refid) =>
      (await findTransaction(engine, caller, idOf(refid))).map((found) => parsed(transactionResource(found))),
  };
}

function asGateSession(session: Parameters<typeof sessionResource>[0]): GateSession {
  return parsed(sessionResource(session));
}

/** What the host of the checkout's page needs to know of partners. */
export interface Embed {
  /**
   * Origins that may frame the checkout under this publishable key, for `frame-ancestors`; null for a key that is
   * unknown, revoked, expired, of the other mode or type, or of a partner who is not cleared for live. As stale as keys
   * may be.
   */
  allowedOrigins(mode: Mode, publishableKey: string): Promise<readonly string[] | null>;
  /**
   * How the checkout under this publishable key looks, so that its page shows the partner's name, logo and theme before anything else;
   * null where `allowedOrigins` is.
   */
  look(mode: Mode, publishableKey: string): Promise<CheckoutLook | null>;
}

/** The branding of a partner as its checkout's page takes it. */
export interface CheckoutLook {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: 'light' | 'dark' | null;
}

export function inProcessEmbed(engine: Engine): Embed {
  return {
    allowedOrigins: async (mode, publishableKey) =>
      typeof publishableKey === 'string' ? allowedOrigins(engine, mode, publishableKey) : null,
    look: async (mode, publishableKey) => {
      const look = typeof publishableKey === 'string' ? await checkoutLook(engine, mode, publishableKey) : null;
      if (look === null) return null;
      const { displayName, logoUrl, accentColor, theme } = look;
      return { display_name: displayName, logo_url: logoUrl, accent_color: accentColor, theme };
    },
  };
}

/**
 * The same resource, all of whose calls name their caller first; that is looked at before a call does anything. Types do not reach hosts in
 * JavaScript, and for an unknown mode a store would find nothing, or keep rows that are never found again.
 */
export function forCallers<Resource extends object>(name: string, resource: Resource): Resource {
  const members = Object.entries(resource).map(([member, value]: [string, unknown]): [string, unknown] => {
    const place = `${name}.${member}`;
    if (typeof value === 'object' && value !== null) return [member, forCallers(place, value)];
    if (typeof value !== 'function') return [member, value];
    const call = async (...given: unknown[]): Promise<unknown> => {
      throwIfAny(`${place} received an invalid caller`, callerProblems(given[0]));
      return Reflect.apply(value, resource, given) as unknown;
    };
    return [member, call];
  });
  // Member for member what it was: each call takes and answers the same, and all of them answer promises.
  return Object.fromEntries(members) as Resource;
}
