import type { GateRefusal, Scope } from '@gateramp/core';
import type { Result } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { historyOf } from './history.js';

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

/** Members whose values are kept: ids, statuses, codes, amounts, currencies and times. Every other value is redacted. */
const KEPT: ReadonlySet<string> = new Set(
  `amount amount_refunded amount_returned at attempt attempts code completed_at created_at currency event_id
  exchange_rate expires_at fee_total flow id intent_id kyc_pre_verified method mode network object occurred_at
  payment_method request_id required retryable returned_at route seen sequence session_id settled_after_close
  stage status target_network target_token tx_refid refid type updated_at`.split(/\s+/),
);

/** Members whose objects and lists are redacted member by member; others are redacted whole. */
const ENTERED: ReadonlySet<string> = new Set(
  `confirmations deliveries destination disputes event failure fees intents refunds requests session source stages
  steps transaction`.split(/\s+/),
);

/** What ids, codes, amounts and times look like; other text is redacted whatever its name is. */
const PLAIN = /^[\w.:+/{}-]{0,80}$/;

/** Replaces every value that is not known to be harmless. */
export function redacted(value: unknown, name = ''): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return ENTERED.has(name) ? value.map((one) => redacted(one, name)) : REDACTED;
  if (typeof value === 'object')
    return name === '' || ENTERED.has(name)
      ? Object.fromEntries(Object.entries(value).map(([member, one]) => [member, redacted(one, member)]))
      : REDACTED;
  return KEPT.has(name) && isPlain(value) ? value : REDACTED;
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
  return history.map(({ session_id, steps }) => ({
    object: 'exported_history',
    file_name: `session-${session_id}.history.json`,
    text: JSON.stringify(
      { object: 'session_history', version: FILE_VERSION, ...(redacted({ session_id, steps, requests }) as object) },
      null,
      1,
    ),
  }));
}
