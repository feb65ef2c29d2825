import type { GateRefusal, Scope } from '@gateramp/core';
import { auditEntryResource, keyId } from '@gateramp/core/domain';
import type { OperationTransfer } from '@gateramp/core/ports';
import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { type Approval, seen } from './approval-endpoints.js';
import { endpoint } from './endpoint.js';
import { mirrored } from './mirrored-endpoints.js';
import { NOTHING_HERE } from './refusal.js';
import { READS } from './roles.js';
import { isoOrNull, list, listOf, MODE } from './schemas.js';
import { scopeOfCall, sees, type Visitor } from './visitor.js';

const TRANSFERS = [
  'deposit',
  'deposit_return',
  'refund',
  'send',
  'replaced_send',
  'cancelled_send',
] as const satisfies readonly OperationTransfer['kind'][];

const FOUND = z.object({
  type: z.string(),
  id: z.string(),
  label: z.string().nullable(),
  of: z.string().optional().describe('The id or hash that it belongs to.'),
  partner_id: z.string().nullable(),
  mode: MODE.nullable(),
  transfer: z
    .enum(TRANSFERS)
    .optional()
    .describe('The kind of the transfer on chain by whose hash it was found, where a provider knows it.'),
});

type FoundJson = z.input<typeof FOUND>;

const INSPECTED = z
  .object({
    type: z.string(),
    id: z.string(),
    object: z.unknown().describe('The resource, as the other endpoints have it.'),
    caused_by: z.array(FOUND),
    caused: z.array(FOUND),
    refused_requests: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Requests about it that were answered with an error, newest first, if the host keeps them.'),
  })
  .meta({ id: 'Inspected', description: 'An object, what caused it, and what it caused.' });

export const INSPECT_ENDPOINTS = [
  endpoint({
    name: 'search',
    method: 'GET',
    path: '/search',
    summary:
      'Find a session, intent, transaction, event, delivery, operation, key, approval or request by its id, or what a hash on chain belongs to: a transaction, its session and its operation, also by a deposit, a returned deposit, a refund or a replaced send, or a pool trade; a key by its id or the beginning of its text. Operators also find partners by id or a part of the name; those who name no partner search all they see',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(128)
        .describe('An exact id or hash, the beginning of a key, or a part of the name of a partner.'),
      partner: z.string().optional(),
      mode: MODE.optional(),
    }),
    body: null,
    reply: listOf(FOUND),
    success: 200,
    run: async ({ admin, door, visitor, query, path }) => {
      const scopes = await scopesOf(admin, visitor, query);
      if (scopes === null) return err(NOTHING_HERE);
      const id = query.q.trim();
      const [found, approval, partners] = await Promise.all([
        search(admin, scopes.slice(0, SCOPES_MAX), id),
        seen(door.approvals, visitor, id),
        visitor.kind === 'operator' ? partnersNamed(admin, visitor, id) : [],
      ]);
      const isOfPartner = query.partner === undefined || approval?.partnerId === query.partner;
      const approvals = approval !== null && isOfPartner ? [foundApproval(approval)] : [];
      return ok({ json: list([...found, ...approvals, ...partners], path, scopes.length > SCOPES_MAX) });
    },
  }),
  endpoint({
    name: 'retrieveObject',
    method: 'GET',
    path: '/objects/{id}',
    summary: 'Retrieve an object by its id, what caused it, and what it caused',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: INSPECTED,
    success: 200,
    run: async ({ admin, calls, scope, params, path }) => {
      const id = params['id'] ?? '';
      const found = await inspected({ admin, calls }, scope, id, path);
      return found === null ? err(NOTHING_HERE) : ok({ json: found });
    },
  }),
];

/** Of the others, `has_more` says that they were not searched: it would take too many look-ups. */
const SCOPES_MAX = 4_000;

const PARTNERS_FOUND_MAX = 10;

/** Partners with this id, or with a name that contains the text. */
async function partnersNamed(admin: Gate['admin'], visitor: Visitor, text: string): Promise<readonly FoundJson[]> {
  const wanted = text.toLowerCase();
  return (await admin.listPartners())
    .filter(({ id, name }) => sees(visitor, id) && (id === text || name.toLowerCase().includes(wanted)))
    .slice(0, PARTNERS_FOUND_MAX)
    .map(({ id, name }) => ({ type: 'partner', id, label: name, partner_id: id, mode: null }));
}

async function scopesOf(
  admin: Gate['admin'],
  visitor: Visitor,
  { partner, mode }: { readonly partner?: string | undefined; readonly mode?: Scope['mode'] | undefined },
): Promise<readonly Scope[] | null> {
  const named = new URLSearchParams({
    ...(partner === undefined ? {} : { partner }),
    ...(mode === undefined ? {} : { mode }),
  });
  const scope = scopeOfCall(visitor, named);
  if (scope !== 'unnamed') return scope === null ? null : [scope];
  const ids =
    partner === undefined ? (visitor.partners ?? (await admin.listPartners()).map(({ id }) => id)) : [partner];
  if (partner !== undefined && visitor.partners?.includes(partner) === false) return null;
  const modes = mode === undefined ? (['test', 'live'] as const) : [mode];
  return ids.flatMap((partnerId) => modes.map((one) => ({ partnerId, mode: one })));
}

async function search(admin: Gate['admin'], scopes: readonly Scope[], id: string): Promise<readonly FoundJson[]> {
  if (id.startsWith('req_')) return requestsNamed(admin, scopes, id);
  const [found, keys] = await Promise.all([admin.find(id, { scopes }), keysNamed(admin, scopes, id)]);
  if (found === null) return [...keys, ...(await ofTxHash(admin, scopes, id))];
  const { partnerId, mode } = found.scope;
  const about = found.sessionId ?? found.refid ?? found.eventId;
  const of = about === null || about === id ? {} : { of: about };
  return [{ type: found.kind, id, label: null, ...of, partner_id: partnerId, mode }, ...keys];
}

/** Transactions and operations with this hash, each with its session and the kind of transfer, and pool trades. */
async function ofTxHash(admin: Gate['admin'], scopes: readonly Scope[], hash: string): Promise<readonly FoundJson[]> {
  const found = await admin.findByTxHash(hash, { scopes });
  const links = found.flatMap(({ kind, id, scope, sessionId, refid, intent, transfer, resource }) => {
    const of = { label: null, of: hash, partner_id: scope.partnerId, mode: scope.mode, ...(transfer && { transfer }) };
    const link = (type: string, at: string | null | undefined): readonly FoundJson[] =>
      at === null || at === undefined ? [] : [{ type, id: at, ...of }];
    if (resource !== null) return link(kind, id);
    const operationId = kind === 'operation' ? id : intent?.operationId;
    return [...link('transaction', refid), ...link('session', sessionId), ...link('operation', operationId)];
  });
  // Several transfers with one hash may be of the same session, such as two deposits.
  return links.filter((one, nth) => links.findIndex((other) => isSameLink(one, other)) === nth);
}

function isSameLink(one: FoundJson, other: FoundJson): boolean {
  return one.type === other.type && one.id === other.id && one.transfer === other.transfer && one.mode === other.mode;
}

function foundApproval({ id, operation, partnerId, mode }: Approval): FoundJson {
  return { type: 'approval', id, label: operation, partner_id: partnerId, mode };
}

/** What a request changed, or that it was refused. */
async function requestsNamed(
  admin: Gate['admin'],
  scopes: readonly Scope[],
  id: string,
): Promise<readonly FoundJson[]> {
  const [entries, refused] = await Promise.all([
    admin.audit.list({ requestId: id }),
    Promise.all(scopes.slice(0, SCOPES_MAX).map((scope) => admin.refusedRequests.find(scope, id))),
  ]);
  const isSeen = (partnerId: string | null, mode: Scope['mode'] | null) =>
    scopes.some((one) => one.partnerId === partnerId && (mode === null || one.mode === mode));
  return [
    ...entries
      .filter((one) => isSeen(one.partnerId, one.mode))
      .map(({ action, partnerId, mode }) => ({ type: 'request', id, label: action, partner_id: partnerId, mode })),
    ...refused
      .filter((one) => one !== null)
      .map(({ status, code, partnerId, mode }) => ({
        type: 'request',
        id,
        label: `${status} ${code}`,
        partner_id: partnerId,
        mode,
      })),
  ];
}

const KEY_ID = /^[0-9a-f]{8,64}$/;
/** The id of a key as lists show it; other objects have ids of other lengths. */
const WHOLE_KEY_ID = /^[0-9a-f]{16}$/;
const KEY_TEXT = /^(sk|pk)_(test|live)_\w+$/;

/** Keys with this id, or whose shown beginning the text is or begins with. Partners have a handful each, so theirs are listed. */
async function keysNamed(admin: Gate['admin'], scopes: readonly Scope[], text: string): Promise<readonly FoundJson[]> {
  const partnerIds = [...new Set(scopes.map((one) => one.partnerId))];
  const isKey = KEY_TEXT.test(text) || WHOLE_KEY_ID.test(text);
  if (!isKey && (partnerIds.length !== 1 || !KEY_ID.test(text))) return [];
  const found: FoundJson[] = [];
  for (let from = 0; from < partnerIds.length; from += PARTNERS_AT_ONCE) {
    const page = partnerIds.slice(from, from + PARTNERS_AT_ONCE);
    const keys = (await Promise.all(page.map((partnerId) => admin.listKeys(partnerId)))).flat();
    const named = keys.filter(
      ({ key }) => keyId(key) === text || (KEY_TEXT.test(text) && (key.prefix === text || text.startsWith(key.prefix))),
    );
    for (const { key } of named)
      if (scopes.some(({ partnerId, mode }) => mode === key.mode && partnerId === key.partnerId))
        found.push({
          type: 'key',
          id: keyId(key),
          label: `${key.prefix}…`,
          partner_id: key.partnerId,
          mode: key.mode,
        });
  }
  return found;
}

const PARTNERS_AT_ONCE = 20;

type Parts = {
  readonly admin: Gate['admin'];
  readonly calls: Pick<Gate, 'sessions' | 'transactions' | 'events' | 'webhooks'>;
};

/** Links shown of one kind. */
const LINKS_MAX = 100;

async function inspected(
  { admin, calls }: Parts,
  scope: Scope,
  id: string,
  path: string,
): Promise<z.input<typeof INSPECTED> | null> {
  if (id.startsWith('req_')) return inspectedRequest(admin, scope, id);
  const found = await admin.find(id, { scopes: [scope] });
  if (found === null) return null;
  const { kind, sessionId, refid, eventId, intent } = found;
  const link = (type: string, at: string, label: string | null = null): FoundJson => ({
    type,
    id: at,
    label,
    partner_id: scope.partnerId,
    mode: scope.mode,
  });
  const of = sessionId === null ? null : { session_id: sessionId, limit: LINKS_MAX };
  const [transactions, events, deliveries, refused] = await Promise.all([
    kind !== 'session' || of === null ? null : calls.transactions.list(scope, of),
    (kind !== 'session' && kind !== 'transaction') || of === null ? null : calls.events.list(scope, of),
    kind !== 'event' ? null : calls.webhooks.deliveries.list(scope, { event_id: id, limit: LINKS_MAX }),
    admin.refusedRequests.list(scope, { objectId: id, limit: 20 }),
  ]);
  const paid = transactions?.map(({ data }) => data).unwrapOr([]) ?? [];
  const told = events?.map(({ data }) => data).unwrapOr([]) ?? [];
  const sent = deliveries?.map(({ data }) => data).unwrapOr([]) ?? [];
  const isOf = (data: Readonly<Record<string, unknown>>): boolean =>
    data['refid'] === refid || data['tx_refid'] === refid;
  const session = sessionId === null ? [] : [link('session', sessionId)];
  const attempts = paid
    .toReversed()
    .flatMap((one) => [link('intent', one.intent_id), link('transaction', one.refid, one.status)]);
  const announced = told
    .toReversed()
    .filter(({ data }) => kind === 'session' || isOf(data))
    .map((one) => link('event', one.id, one.type));
  const links: Readonly<Record<string, Pick<z.input<typeof INSPECTED>, 'caused_by' | 'caused'>>> = {
    session: { caused_by: [], caused: [...attempts, ...announced] },
    intent: { caused_by: session, caused: refid === null ? [] : [link('transaction', refid)] },
    operation: { caused_by: intent === null ? session : [...session, link('intent', intent.id)], caused: [] },
    transaction: { caused_by: session, caused: announced },
    event: { caused_by: session, caused: sent.map((one) => link('delivery', one.id, one.status)) },
    delivery: { caused_by: [...session, ...(eventId === null ? [] : [link('event', eventId)])], caused: [] },
  };
  const object = mirrored(await shownOf(calls, found), path);
  if (object.isErr() || object.value instanceof Response) return null;
  const { caused_by = [], caused = [] } = links[kind] ?? {};
  return { type: kind, id, object: object.value.json, caused_by, caused, refused_requests: refused.map(requestJson) };
}

type Found = NonNullable<Awaited<ReturnType<Gate['admin']['find']>>>;

/** The object as the API shows it; of an attempt, what is safe to show. */
async function shownOf(
  calls: Parts['calls'],
  { kind, scope, id, resource, intent }: Found,
): Promise<Result<object, GateRefusal>> {
  switch (kind) {
    case 'session':
      return calls.sessions.retrieve(scope, id);
    case 'transaction':
      return calls.transactions.retrieve(scope, id);
    case 'event':
      return calls.events.retrieve(scope, id);
    case 'delivery':
      return calls.webhooks.deliveries.retrieve(scope, id);
    default:
      return ok(resource ?? (intent === null ? {} : attemptJson(intent)));
  }
}

/** Without payment data and next action, which only the buyer's page sees. */
function attemptJson(intent: NonNullable<Found['intent']>) {
  const { id, status, attempt, provider, operationId, txRefid, sessionId, failure, createdAt, updatedAt } = intent;
  return {
    object: 'gate_intent',
    id,
    session_id: sessionId,
    tx_refid: txRefid,
    status,
    attempt,
    provider,
    operation_id: operationId,
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    created_at: isoOrNull(createdAt),
    updated_at: isoOrNull(updatedAt),
  };
}

async function inspectedRequest(
  admin: Gate['admin'],
  scope: Scope,
  id: string,
): Promise<z.input<typeof INSPECTED> | null> {
  const [entries, refused] = await Promise.all([
    admin.audit.list({ requestId: id, partnerId: scope.partnerId }),
    admin.refusedRequests.find(scope, id),
  ]);
  const own = entries.filter(({ mode }) => mode === null || mode === scope.mode);
  if (own.length === 0 && refused === null) return null;
  const object = refused === null ? { object: 'list', data: own.map(auditEntryResource) } : requestJson(refused);
  const caused = own.map(({ target, action, partnerId, mode }) => ({
    ...target,
    label: action,
    partner_id: partnerId,
    mode,
  }));
  return { type: 'request', id, object, caused_by: [], caused, refused_requests: [] };
}

function requestJson(one: NonNullable<Awaited<ReturnType<Gate['admin']['refusedRequests']['find']>>>) {
  const { requestId, method, route, objectId, status, code, fields, createdAt } = one;
  return {
    object: 'refused_request',
    request_id: requestId,
    at: isoOrNull(createdAt),
    method,
    route,
    object_id: objectId,
    status,
    code,
    fields: [...fields],
  };
}
