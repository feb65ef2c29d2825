import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { cancelSession } from '../application/sessions/cancel-session.js';
import { createSession } from '../application/sessions/create-session.js';
import { retrieveSession } from '../application/sessions/retrieve-session.js';
import { readTimeline } from '../application/timeline/read-timeline.js';
import { findTransaction } from '../application/transactions/find-transaction.js';
import type { Scope } from '../domain/mode.js';
import { sessionResource } from '../domain/session/session-resource.js';
import { timelineEntryResource, type GateTimelineEntry } from '../domain/timeline/timeline.js';
import { transactionResource } from '../domain/transaction/transaction-resource.js';
import { createdSession } from '../http/sessions/create-session.js';
import { CREATE_SESSION_BODY } from '../http/sessions/create-session-body.js';
import { listEnvelope, type List } from '../http/schema/list-envelope.js';
import { idOf } from '../http/schema/list-query.js';
import { TIMELINE_PATH } from '../http/timeline/read-timeline.js';
import { answerOf, keyUse, parsed, readGiven } from './given.js';
import type { CreatedGateSession, CreateGateSession, GateRefusal, GateSession, GateTransaction } from './resources.js';

/** Sessions for hosts that call in process instead of over HTTP: the same rules, keys and shapes. */
export interface Sessions {
  /** Refuses like `POST /v1/gate_sessions`. A repeat with the same key gives the same session. */
  create(
    caller: Scope,
    body: CreateGateSession,
    options?: { readonly idempotencyKey?: string },
  ): Promise<Result<CreatedGateSession, GateRefusal>>;
  retrieve(caller: Scope, id: string): Promise<Result<GateSession, GateRefusal>>;
  cancel(caller: Scope, id: string): Promise<Result<GateSession, GateRefusal>>;
  /** Everything that happened to the session, oldest first. */
  timeline(caller: Scope, id: string): Promise<Result<List<GateTimelineEntry>, GateRefusal>>;
}

/** Transactions for hosts that look them up in process. */
export interface Transactions {
  /** By `gtx_…`; refused with `transaction_not_found` when it is not the caller's. */
  retrieve(caller: Scope, refid: string): Promise<Result<GateTransaction, GateRefusal>>;
}

export function inProcessSessions(engine: Engine, ready: () => Promise<void>): Sessions {
  return {
    create: async (caller, body, options) => {
      await ready();
      return create(engine, caller, body, options?.idempotencyKey);
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

export function inProcessTransactions(engine: Engine): Transactions {
  return {
    retrieve: async (caller, refid) =>
      (await findTransaction(engine, caller, idOf(refid))).map((found) => parsed(transactionResource(found))),
  };
}

async function create(
  engine: Engine,
  caller: Scope,
  body: CreateGateSession,
  key: string | undefined,
): Promise<Result<CreatedGateSession, GateRefusal>> {
  const partner = await engine.partners.findPartner(caller.partnerId);
  if (partner === null) throw new Error(`There is no partner ${caller.partnerId}.`);
  const given = readGiven(engine, caller, CREATE_SESSION_BODY, body);
  if (given.isErr()) return err(given.error);
  const { value, canonical } = given.value;
  const use = keyUse(engine, { caller, key, path: 'sessions.create', canonical, render: createdSession });
  if (use.isErr()) return err(use.error);
  const done = await createSession(engine, { partner, mode: caller.mode }, value, use.value);
  return done.map((answered) => answerOf(answered, createdSession));
}

function asGateSession(session: Parameters<typeof sessionResource>[0]): GateSession {
  return parsed(sessionResource(session));
}
