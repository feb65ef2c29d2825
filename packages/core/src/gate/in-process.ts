import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { identifyUse, type Idempotent } from '../application/idempotency/idempotent.js';
import { cancelSession } from '../application/sessions/cancel-session.js';
import { createSession, type CreatedSession } from '../application/sessions/create-session.js';
import { retrieveSession } from '../application/sessions/retrieve-session.js';
import { readTimeline } from '../application/timeline/read-timeline.js';
import { findTransaction } from '../application/transactions/find-transaction.js';
import type { JsonText } from '../domain/json/json-text.js';
import { readJson } from '../domain/json/read-json.js';
import type { Scope } from '../domain/mode.js';
import { sessionResource } from '../domain/session/session-resource.js';
import { timelineEntryResource, type GateTimelineEntry } from '../domain/timeline/timeline.js';
import { transactionResource } from '../domain/transaction/transaction-resource.js';
import { fieldRefusal } from '../http/pipeline/read-body.js';
import { listEnvelope, type List } from '../http/schema/list-envelope.js';
import { TIMELINE_PATH } from '../http/timeline/read-timeline.js';
import { createdSession } from '../http/sessions/create-session.js';
import { readCreateSession } from '../http/sessions/create-session-body.js';
import { parsed } from './given.js';
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
      return create(engine, caller, body, options?.idempotencyKey ?? null);
    },
    retrieve: async (caller, id) => (await retrieveSession(engine, caller, id)).map(asGateSession),
    cancel: async (caller, id) => (await cancelSession(engine, caller, id)).map(asGateSession),
    timeline: async (caller, id) => {
      const url = TIMELINE_PATH.replace('{id}', encodeURIComponent(id));
      const entries = await readTimeline(engine, caller, id);
      return entries.map((items) => parsed(listEnvelope({ items, hasMore: false }, url, timelineEntryResource)));
    },
  };
}

export function inProcessTransactions(engine: Engine): Transactions {
  return {
    retrieve: async (caller, refid) =>
      (await findTransaction(engine, caller, refid)).map((found) => parse<GateTransaction>(transactionResource(found))),
  };
}

async function create(
  engine: Engine,
  caller: Scope,
  body: CreateGateSession,
  key: string | null,
): Promise<Result<CreatedGateSession, GateRefusal>> {
  const partner = await engine.partners.findPartner(caller.partnerId);
  if (partner === null) throw new Error(`There is no partner ${caller.partnerId}.`);
  const document = readJson(JSON.stringify(body), engine.policy.bodyDepthMax);
  if (document.isErr())
    return err({ code: 'validation_failed', message: 'The body holds text or nesting that no store accepts.' });
  const read = readCreateSession({ document: document.value, mode: caller.mode, policy: engine.policy });
  if (read.isErr()) return err(fieldRefusal(read.error, engine.policy.fieldErrorsMax));
  const idempotent = key === null ? null : keyUse(engine, caller, key, document.value.canonical);
  const done = await createSession(engine, { partner, mode: caller.mode }, read.value, idempotent);
  return done.map((answered) =>
    parse<CreatedGateSession>(answered.kind === 'replayed' ? answered.reply.body : createdSession(answered.value)),
  );
}

/** A key used in process and over HTTP is a mismatch: the two replies are not the same bytes. */
function keyUse(engine: Engine, caller: Scope, key: string, canonicalBody: string): Idempotent<CreatedSession> {
  const use = { key, scope: caller, browser: null, method: 'CALL', path: 'sessions.create', canonicalBody };
  return {
    ...identifyUse(engine, use),
    mode: caller.mode,
    write: 'claim',
    render: (created) => ({ status: 201, headers: {}, body: createdSession(created) }),
  };
}

function asGateSession(session: Parameters<typeof sessionResource>[0]): GateSession {
  return parse<GateSession>(sessionResource(session));
}

/** Text we rendered ourselves, as the shape it was rendered from. */
function parse<Shape>(text: JsonText | string): Shape {
  return JSON.parse(text) as Shape;
}
