import type { GateRefusal, GateSession, GateTransaction, Scope } from '@gateramp/core';
import { isRecord } from '@gateramp/core/domain';
import type { Result } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { type HISTORY, historyOf } from './history.js';

export const EXPORTED_HISTORY = z
  .object({ object: z.literal('exported_history'), file_name: z.string(), text: z.string() })
  .meta({
    id: 'ExportedHistory',
    description:
      'A file that any console can open: the history of a session and the refused requests about it, with values that may be personal or secret replaced by [redacted].',
  });

/** The version of the file format. A page opens only versions that it supports. */
const FILE_VERSION = 1;

const REDACTED = '[redacted]';

/**
 * What a file has of each member of an object: its value, `[redacted]`, or the same for the members of what it holds. A new member of the
 * wire does not compile until it is decided here.
 */
type Shown<Value> = {
  readonly [Name in keyof Value]-?:
    | 'redacted'
    | (NonNullable<Value[Name]> extends object ? ShownOf<NonNullable<Value[Name]>> : 'kept');
};
type ShownOf<Value> = Value extends readonly (infer Item)[] ? Shown<Item> : Shown<Value>;

const SIDE = { amount: 'kept', currency: 'kept', network: 'kept' } as const;
const CREATED_UPDATED = { created_at: 'kept', updated_at: 'kept' } as const;

const SESSION: Shown<GateSession> = {
  ...{ id: 'kept', object: 'kept', partner_id: 'redacted', mode: 'kept', flow: 'kept', status: 'kept' },
  ...{ amount: 'kept', currency: 'kept', target_token: 'kept', target_network: 'kept' },
  ...{ return_url: 'redacted', cancel_url: 'redacted', wallet_address: 'redacted', user_reference: 'redacted' },
  ...{ kyc_pre_verified: 'kept', expires_at: 'kept', created_at: 'kept', metadata: 'redacted' },
};

const TRANSACTION: Shown<GateTransaction> = {
  ...{ id: 'kept', object: 'kept', refid: 'kept', session_id: 'kept', intent_id: 'kept', partner_id: 'redacted' },
  ...{ mode: 'kept', flow: 'kept', status: 'kept', source: SIDE, destination: SIDE, exchange_rate: 'kept' },
  ...{ fees: { type: 'kept', amount: 'kept', currency: 'kept' }, fee_total: 'kept', payment_method: 'kept' },
  ...{ country_code: 'redacted', wallet_address: 'redacted', tx_hash: 'redacted', tx_url: 'redacted' },
  ...{ confirmations: { seen: 'kept', required: 'kept' }, user_reference: 'redacted' },
  stages: { type: 'kept', status: 'kept', failure_code: 'kept', updated_at: 'kept' },
  failure: { stage: 'kept', code: 'kept', message: 'redacted', retryable: 'kept' },
  ...{ settled_after_close: 'kept', amount_refunded: 'kept', amount_returned: 'kept' },
  refunds: {
    ...{ object: 'kept', id: 'kept', amount: 'kept', currency: 'kept', status: 'kept', reason: 'redacted' },
    ...{ failure: { code: 'kept', message: 'redacted', retryable: 'kept' }, returned_at: 'kept', ...CREATED_UPDATED },
  },
  disputes: { object: 'kept', id: 'kept', amount: 'kept', currency: 'kept', status: 'kept', ...CREATED_UPDATED },
  ...{ ...CREATED_UPDATED, completed_at: 'kept', metadata: 'redacted' },
};

type Step = z.input<typeof HISTORY>['steps'][number];

const STEP: Shown<
  Omit<Step, 'session' | 'transaction' | 'transactions'> & {
    session: GateSession;
    transaction: GateTransaction | null;
    transactions: { refid: string; object: GateTransaction | null }[];
  }
> = {
  ...{ sequence: 'kept', at: 'kept', event: { id: 'kept', type: 'kept' }, session: SESSION, transaction: TRANSACTION },
  transactions: { refid: 'kept', object: TRANSACTION },
  not_kept: { type: 'kept', id: 'kept', refid: 'kept' },
  intents: { id: 'kept', attempt: 'kept', status: 'kept', tx_refid: 'kept' },
  deliveries: { id: 'kept', event_id: 'kept', status: 'kept', attempts: 'kept' },
};

const REQUEST = {
  request_id: 'kept',
  at: 'kept',
  method: 'kept',
  route: 'kept',
  status: 'kept',
  code: 'kept',
} as const;

/** What ids, codes, amounts and times look like; other text is redacted whatever its name is. */
const PLAIN = /^[\w.:+/{}-]{0,80}$/;

/** Replaces every value that is not known to be harmless. */
export function redacted(value: unknown, shown: unknown = STEP): unknown {
  if (value === null) return null;
  if (shown === 'kept') return isPlain(value) ? value : REDACTED;
  if (!isRecord(shown) || typeof value !== 'object') return REDACTED;
  if (Array.isArray(value)) return value.map((one) => redacted(one, shown));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      redacted(one, Object.hasOwn(shown, name) ? shown[name] : 'redacted'),
    ]),
  );
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && PLAIN.test(value));

type Parts = { readonly calls: Parameters<typeof historyOf>[0]; readonly admin: Gate['admin'] };

/** The maximum number of refused requests in a file. */
const REQUESTS_MAX = 99;

/** The history of a session as a file. */
export async function exportedHistory(
  { calls, admin }: Parts,
  scope: Scope,
  id: string,
): Promise<Result<z.input<typeof EXPORTED_HISTORY>, GateRefusal>> {
  const history = await historyOf(calls, scope, id);
  const found = history.isErr() ? [] : await admin.refusedRequests.list(scope, { objectId: id, limit: REQUESTS_MAX });
  const requests = found.map(({ requestId, createdAt, method, route, status, code }) => ({
    request_id: requestId,
    at: new Date(createdAt).toISOString(),
    method,
    route,
    status,
    code,
  }));
  return history.map(({ session_id, complete, steps }) => ({
    object: 'exported_history',
    file_name: `session-${session_id}.history.json`,
    text: JSON.stringify(
      {
        object: 'session_history',
        version: FILE_VERSION,
        session_id,
        complete,
        steps: steps.map((step) => redacted(step)),
        requests: requests.map((one) => redacted(one, REQUEST satisfies Shown<typeof one>)),
      },
      null,
      1,
    ),
  }));
}
