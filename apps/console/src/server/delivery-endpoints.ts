import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { mirrored } from './mirrored-endpoints.js';
import { fromGate, refuse } from './refusal.js';
import { READS, SUPPORTS } from './roles.js';
import { TIME } from './schemas.js';

/** Replays of one request; each commit has 500 of them, one a second. */
const REPLAYS_MAX = 5_000;
const PER_COMMIT = 500;

const COUNTS = z
  .object({
    object: z.literal('replay_counts'),
    dry_run: z.boolean(),
    total: z.int(),
    by_event_type: z.record(z.string(), z.int()),
  })
  .meta({ id: 'ReplayCounts', description: 'How many deliveries were queued again, or would be.' });

const SIGNATURE_CHECK = z
  .object({
    object: z.literal('signature_check'),
    result: z
      .enum(['current', 'previous', 'expired', 'mismatch', 'malformed'])
      .describe(
        '`current`: signed with the current secret. `previous`, `expired`: signed with the previous secret, within or after its grace period. `mismatch`: no secret of this endpoint signed these bytes. `malformed`: not a Gate-Signature header.',
      ),
    signed_at: z.iso.datetime().nullable().describe('The time in the header.'),
  })
  .meta({ id: 'SignatureCheck', description: 'Whether a received signature belongs to a delivery.' });

export const DELIVERY_ENDPOINTS = [
  endpoint({
    name: 'retrieveDelivery',
    method: 'GET',
    path: '/deliveries/{id}',
    summary: 'Retrieve a delivery with its attempts and the exact bytes that are sent',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    mirrors: 'retrieveDelivery',
    query: null,
    body: null,
    reply: {
      extends: 'WebhookDelivery',
      members: z.object({
        payload: z
          .string()
          .nullable()
          .describe('The body of every attempt, as text; its signature covers these bytes.'),
      }),
    },
    success: 200,
    run: async ({ calls, scope, params }) => {
      const delivery = await calls.webhooks.deliveries.retrieve(scope, params['id'] ?? '');
      if (delivery.isErr()) return err(fromGate(delivery.error));
      const event = await calls.events.retrieve(scope, delivery.value.event_id);
      return ok({ json: { ...delivery.value, payload: event.isErr() ? null : bytesOf(event.value) } });
    },
  }),
  endpoint({
    name: 'checkSignature',
    method: 'POST',
    path: '/deliveries/{id}/check_signature',
    summary: 'Check the Gate-Signature header that a receiver got with a delivery',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: z.object({ header: z.string().max(1_000).describe('`t=…,v1=…`, as received.') }),
    reply: SIGNATURE_CHECK,
    success: 200,
    run: async ({ calls, admin, scope, params, body }) => {
      const delivery = await calls.webhooks.deliveries.retrieve(scope, params['id'] ?? '');
      if (delivery.isErr()) return err(fromGate(delivery.error));
      const checked = await admin.checkSignature(scope, delivery.value.event_id, body.header);
      if (checked === null) return refuse('not_found', 'This delivery has no endpoint with a secret.');
      const { result, signedAt } = checked;
      const signed_at = signedAt === null ? null : new Date(signedAt).toISOString();
      return ok({ json: { object: 'signature_check', result, signed_at } });
    },
  }),
  endpoint({
    name: 'replayDeliveries',
    method: 'POST',
    path: '/deliveries/replay',
    summary: 'Replay dead-lettered deliveries, oldest first, or count them',
    audience: 'partner',
    needs: SUPPORTS,
    reason: 'live',
    isPreview: ({ dry_run: isDryRun }) => isDryRun === true,
    query: null,
    body: z.object({
      event_types: z.array(z.string()).min(1).optional(),
      created_after: TIME.optional(),
      created_before: TIME.optional(),
      dead_before: TIME.optional().describe('Only those dead-lettered before; by default, before this request.'),
      dry_run: z.boolean().optional().describe('Only count; needs no reason.'),
    }),
    reply: COUNTS,
    success: 200,
    run: async ({ admin, scope, body }) => {
      const order = {
        // Unknown types are refused by the gate, which knows them.
        ...(body.event_types === undefined ? {} : { eventTypes: body.event_types as never }),
        ...instant('createdAfter', body.created_after),
        ...instant('createdBefore', body.created_before),
        ...instant('deadBefore', body.dead_before),
        perSecond: PER_COMMIT,
      };
      const planned = await admin.replayDeliveries(scope, { ...order, isDryRun: true });
      if (body.dry_run === true) return ok({ json: counted(planned, { isDryRun: true }) });
      if (total(planned) > REPLAYS_MAX)
        return refuse(
          'validation_failed',
          `These are ${total(planned)} deliveries; one request replays up to ${REPLAYS_MAX}. Narrow the selection.`,
        );
      return ok({ json: counted(await admin.replayDeliveries(scope, order), { isDryRun: false }) });
    },
  }),
  endpoint({
    name: 'replayDelivery',
    method: 'POST',
    path: '/deliveries/{id}/replay',
    summary: 'Replay a dead-lettered delivery',
    audience: 'partner',
    needs: SUPPORTS,
    reason: 'live',
    mirrors: 'replayDelivery',
    query: null,
    body: null,
    reply: null,
    success: 202,
    run: async ({ calls, scope, params, path }) =>
      mirrored(await calls.webhooks.deliveries.replay(scope, params['id'] ?? ''), path),
  }),
];

/** An event as it is read has one member more than as it is delivered. */
function bytesOf({ object: _, ...envelope }: object & { readonly object?: unknown }): string {
  return JSON.stringify(envelope);
}

function instant<Name extends string>(name: Name, text: string | undefined): Partial<Record<Name, number>> {
  return text === undefined ? {} : ({ [name]: Date.parse(text) } as Record<Name, number>);
}

type Counts = Readonly<Record<string, number>>;

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

function counted(counts: Counts, { isDryRun }: { readonly isDryRun: boolean }): z.input<typeof COUNTS> {
  return { object: 'replay_counts', dry_run: isDryRun, total: total(counts), by_event_type: { ...counts } };
}
