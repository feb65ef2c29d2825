import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { cancelSession } from '../application/sessions/cancel-session.js';
import { createSession } from '../application/sessions/create-session.js';
import { retrieveSession } from '../application/sessions/retrieve-session.js';
import { readTimeline } from '../application/timeline/read-timeline.js';
import { findTransaction } from '../application/transactions/find-transaction.js';
import { refundTransaction } from '../application/transactions/refund-transaction.js';
import type { Scope } from '../domain/mode.js';
import { sessionResource } from '../domain/session/session-resource.js';
import { timelineEntryResource, type GateTimelineEntry } from '../domain/timeline/timeline.js';
import { transactionResource } from '../domain/transaction/transaction-resource.js';
import { createdSession } from '../http/sessions/create-session.js';
import { CREATE_SESSION_BODY } from '../http/sessions/create-session-body.js';
import { listEnvelope, type List } from '../http/schema/list-envelope.js';
import { idOf } from '../http/schema/list-query.js';
import { TIMELINE_PATH } from '../http/timeline/read-timeline.js';
import { REFUND_TRANSACTION_BODY, type RefundGateTransaction } from '../http/transactions/transaction-schemas.js';
import { parsed } from './given.js';
import { callWithBody, type KeyedCall, type MoneyCall } from './keyed-call.js';
import { partnerOf } from './partner-of.js';
import type { CreatedGateSession, CreateGateSession, GateRefusal, GateSession, GateTransaction } from './resources.js';

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
