import type { Scope } from '@gateramp/core';
import { FLOWS, SESSION_STATUSES } from '@gateramp/core/domain';
import { SESSION_PAYMENTS, type SessionPayment } from '@gateramp/extensions/inspection';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import type { Gate } from './gate.js';
import { READ } from './mirrored-endpoints.js';
import { fromGate } from './refusal.js';
import { TIME } from './schemas.js';

const PAYMENT = z
  .enum(SESSION_PAYMENTS)
  .nullable()
  .describe(
    'State of the payment: of the attempt that was paid, else of the newest one. Null before the first attempt. `declined`: the buyer or the payment was refused. `abandoned`: cancelled, or not finished in time. `disputed`: the bank has taken a part back, and the dispute is open. `charged_back`: it has taken all back, or keeps what it took. `dispute_won`: it has given everything back. `completed` also if the session had ended before.',
  );

const WITH_PAYMENT = z.object({ payment: PAYMENT });
const LIST_WITH_PAYMENTS = z.object({ data: z.array(WITH_PAYMENT) });

/** The page size of `/v1`. */
const LIMIT_DEFAULT = 25;

const BY_PAYMENT = z.strictObject({
  payment: z.enum(SESSION_PAYMENTS),
  status: z.enum(SESSION_STATUSES).optional(),
  flow: z.enum(FLOWS).optional(),
  currency: z.string().optional(),
  user_reference: z.string().optional(),
  created_after: TIME.optional(),
  created_before: TIME.optional(),
  after: z.string().optional().describe('`next` of the page before.'),
  limit: z.coerce.number().int().min(1).max(100).default(LIMIT_DEFAULT),
});

/** Sessions and transactions of `/v1`, each with the state of its payment, which their own status does not show. */
export const PAYMENT_ENDPOINTS = [
  endpoint({
    ...READ,
    name: 'listSessions',
    path: '/sessions',
    summary: 'List sessions, newest first',
    mirrors: 'listSessions',
    reply: { extends: 'GateSessionList', members: LIST_WITH_PAYMENTS },
    run: async ({ admin, calls, scope, query, path }) => {
      const page = await calls.sessions.list(scope, query);
      if (page.isErr()) return err(fromGate(page.error));
      return ok({ json: { ...page.value, data: await withPayments(admin, scope, page.value.data), url: path } });
    },
  }),
  endpoint({
    ...READ,
    name: 'listSessionsByPayment',
    path: '/session_payments',
    summary: 'List sessions by the state of their payment, newest attempt first',
    query: BY_PAYMENT,
    reply: z
      .object({
        object: z.literal('list'),
        data: z.array(z.record(z.string(), z.unknown())).describe('Sessions with their `payment`.'),
        has_more: z.boolean(),
        next: z
          .string()
          .nullable()
          .describe('Continues the list, as `after`. A page may be empty although others follow.'),
        url: z.string(),
      })
      .meta({ id: 'SessionPaymentList', description: 'A page of sessions whose payment is in one state.' }),
    run: async ({ admin, calls, scope, query, path }) => {
      const { payment, status, flow, currency, user_reference: userReference, after, limit } = query;
      const filter = {
        status: status ?? null,
        flow: flow ?? null,
        currency: currency?.toUpperCase() ?? null,
        userReference: userReference ?? null,
        createdAfter: instantOrNull(query.created_after),
        createdBefore: instantOrNull(query.created_before),
      };
      const { ids, next } = await admin.sessionsByPayment(scope, { payment, filter, after: after ?? null, limit });
      const sessions = await Promise.all(ids.map((id) => calls.sessions.retrieve(scope, id)));
      const data = sessions.flatMap((one) => (one.isOk() ? [{ ...one.value, payment }] : []));
      return ok({ json: { object: 'list', data, has_more: next !== null, next, url: path } });
    },
  }),
  endpoint({
    ...READ,
    name: 'retrieveSession',
    path: '/sessions/{id}',
    summary: 'Retrieve a session',
    mirrors: 'retrieveSession',
    reply: { extends: 'GateSession', members: WITH_PAYMENT },
    run: async ({ admin, calls, scope, params }) => {
      const found = await calls.sessions.retrieve(scope, params['id'] ?? '');
      if (found.isErr()) return err(fromGate(found.error));
      const [json] = await withPayments(admin, scope, [found.value]);
      return ok({ json });
    },
  }),
  endpoint({
    ...READ,
    name: 'listTransactions',
    path: '/transactions',
    summary: 'List transactions, newest first',
    mirrors: 'listTransactions',
    reply: { extends: 'TransactionList', members: LIST_WITH_PAYMENTS },
    run: async ({ admin, calls, scope, query, path }) => {
      const page = await calls.transactions.list(scope, query);
      if (page.isErr()) return err(fromGate(page.error));
      const payments = await admin.transactionPayments(
        scope,
        page.value.data.map(({ refid }) => refid),
      );
      return ok({ json: { ...page.value, data: joined(page.value.data, payments), url: path } });
    },
  }),
  endpoint({
    ...READ,
    name: 'retrieveTransaction',
    path: '/transactions/{refid}',
    summary: 'Retrieve a transaction',
    mirrors: 'retrieveTransaction',
    reply: { extends: 'Transaction', members: WITH_PAYMENT },
    run: async ({ admin, calls, scope, params }) => {
      const found = await calls.transactions.retrieve(scope, params['refid'] ?? '');
      if (found.isErr()) return err(fromGate(found.error));
      const [json] = joined([found.value], await admin.transactionPayments(scope, [found.value.refid]));
      return ok({ json });
    },
  }),
];

/** Each session with the state of its payment. */
export async function withPayments<Session extends { readonly id: string }>(
  admin: Gate['admin'],
  scope: Scope,
  sessions: readonly Session[],
): Promise<readonly (Session & { readonly payment: SessionPayment | null })[]> {
  return joined(
    sessions,
    await admin.sessionPayments(
      scope,
      sessions.map(({ id }) => id),
    ),
  );
}

function joined<Row>(rows: readonly Row[], payments: readonly (SessionPayment | null)[]) {
  return rows.map((row, nth) => ({ ...row, payment: payments[nth] ?? null }));
}

const instantOrNull = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
