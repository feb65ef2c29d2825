import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { fromGate, NOTHING_HERE } from './refusal.js';
import { SUPPORTS } from './roles.js';

/** Operators refund; a live refund needs a second one. What users of a partner send is a request that an operator decides about. */
export const REFUND_ENDPOINTS = [
  endpoint({
    method: 'POST',
    name: 'refundTransaction',
    audience: 'partner',
    needs: SUPPORTS,
    reason: 'always',
    path: '/transactions/{refid}/refund',
    summary:
      'Refund a transaction. In live mode a second operator must approve it; for users of a partner it is a request that an operator must approve',
    secondPerson: {
      isCollected: false,
      check: async ({ admin, params, scope }) => {
        const found = await admin.find(params['refid'] ?? '', { scopes: scope === null ? [] : [scope] });
        return found?.kind === 'transaction' ? null : NOTHING_HERE;
      },
    },
    query: null,
    body: z.object({
      amount: z
        .string()
        .regex(/^\d{1,30}(\.\d{1,8})?$/)
        .optional()
        .describe('In the currency that was paid. By default the remaining amount.'),
      note: z.string().trim().min(1).max(500).optional().describe('Shown to the partner, as `refunds[].reason`.'),
    }),
    mirrors: 'retrieveTransaction',
    reply: null,
    success: 200,
    run: async ({ admin, scope, params, body, approvalId }) => {
      const refund = { amount: body.amount ?? null, reason: body.note ?? null };
      // An approved change may be made again after a crash.
      const idempotencyKey = approvalId === null ? randomUUID() : `approval-${approvalId}`;
      const done = await admin.refundTransaction(scope, params['refid'] ?? '', refund, { idempotencyKey });
      return done.map((json) => ({ json })).mapErr(fromGate);
    },
  }),
];
