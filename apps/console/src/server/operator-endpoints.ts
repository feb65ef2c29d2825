import type { Mode, Partner, Scope } from '@gateramp/core';
import { isSuspended, MODES, savesMethods } from '@gateramp/core/domain';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { COUNTED_PARTNERS_MAX } from './overview-endpoints.js';
import { NOTHING_HERE } from './refusal.js';
import { isoOrNull, list, listOf, MODE, TIME } from './schemas.js';
import { readCount, sees } from './visitor.js';

const PARTNER = z
  .object({
    id: z.string(),
    name: z.string(),
    allowed_origins: z.array(z.string()),
    live_enabled: z.boolean(),
    kyc_trusted: z.boolean(),
    saved_payment_methods: z.boolean(),
    entitlements: z.array(z.string()),
    completed_sessions_quota: z.int().nullable(),
    is_suspended: z.boolean(),
    suspended_at: TIME.nullable(),
  })
  .meta({ id: 'Partner' });

function partnerJson(partner: Partner): z.input<typeof PARTNER> {
  return {
    id: partner.id,
    name: partner.name,
    allowed_origins: [...partner.allowedOrigins],
    live_enabled: partner.liveEnabled,
    kyc_trusted: partner.kycTrusted,
    saved_payment_methods: savesMethods(partner),
    entitlements: [...partner.entitlements],
    completed_sessions_quota: partner.completedSessionsQuota,
    is_suspended: isSuspended(partner),
    suspended_at: isoOrNull(partner.suspendedAt),
  };
}

const STUCK = z.object({
  mode: MODE,
  partner_id: z.string(),
  session_id: z.string().nullable(),
  intent_id: z.string().nullable(),
  transaction_id: z.string().nullable(),
  operation_id: z.string().nullable(),
  task_id: z.string().nullable(),
  attempts: z.int(),
  since: TIME,
  age_seconds: z.int(),
  next_attempt_at: TIME.nullable(),
  reason: z.string(),
});

const DUE = z.object({
  mode: MODE,
  partner_id: z.string(),
  id: z.string(),
  kind: z.string().describe('`delivery:` and its lane, or `task:` and its kind.'),
  attempts: z.int(),
  claims: z.int(),
  due_at: TIME,
  age_seconds: z.int(),
  leased_until: TIME.nullable(),
});

const HELD = z.object({
  mode: MODE,
  partner_id: z.string(),
  session_id: z.string(),
  intent_id: z.string().nullable(),
  held_since: TIME.nullable(),
  age_seconds: z.int().nullable().describe('By the clock of its mode, or of its sandbox.'),
});

const DEAD_LETTERS = z
  .object({
    partner_id: z.string(),
    mode: MODE,
    count: z.int().describe('At most the newest 100 are counted.'),
    more: z.boolean(),
    by_event_type: z.record(z.string(), z.int()),
    newest_at: TIME,
    oldest_at: TIME.describe('Of the counted deliveries.'),
    last_error: z.string().nullable().describe('Of the newest delivery.'),
  })
  .meta({ id: 'DeadLetters', description: 'Dead-lettered deliveries of one partner and mode.' });

/** Partners of each mode whose dead letters are listed. */
const LISTED_MAX = 50;

/** Stuck payments and tasks shown. */
const STUCK_MAX = 100;

/** Held sessions shown of a mode. */
const HELD_MAX = 100;

const READ = {
  method: 'GET',
  audience: 'operators',
  needs: 'viewer',
  reason: 'never',
  query: null,
  body: null,
  success: 200,
} as const;

const SUSPENSION = {
  method: 'POST',
  audience: 'operators',
  needs: 'operator',
  reason: 'always',
  query: null,
  body: null,
  reply: PARTNER,
  success: 200,
} as const;

/** About the installation. Operators who see some partners only are shown what concerns these. */
export const OPERATOR_ENDPOINTS = [
  endpoint({
    ...READ,
    name: 'listPartners',
    path: '/partners',
    summary: 'List partners, by id',
    reply: listOf(PARTNER),
    run: async ({ admin, visitor, path }) => {
      const all = (await admin.listPartners()).filter(({ id }) => sees(visitor, id));
      return ok({ json: list(all.map(partnerJson), path) });
    },
  }),
  endpoint({
    ...READ,
    name: 'retrievePartner',
    path: '/partners/{id}',
    summary: 'Retrieve a partner',
    reply: PARTNER,
    run: async ({ admin, visitor, params }) => {
      const partner = sees(visitor, params['id'] ?? '') ? await admin.findPartner(params['id'] ?? '') : null;
      return partner === null ? err(NOTHING_HERE) : ok({ json: partnerJson(partner) });
    },
  }),
  endpoint({
    ...SUSPENSION,
    name: 'suspendPartner',
    path: '/partners/{id}/suspend',
    summary: 'Refuse the keys of a partner and begin no payment at its checkouts',
    run: async ({ admin, visitor, params }) => {
      const partner = sees(visitor, params['id'] ?? '') ? await admin.findPartner(params['id'] ?? '') : null;
      if (partner === null) return err(NOTHING_HERE);
      return ok({ json: partnerJson(await admin.suspendPartner(partner.id)) });
    },
  }),
  endpoint({
    ...SUSPENSION,
    name: 'reinstatePartner',
    path: '/partners/{id}/reinstate',
    summary: 'End the suspension of a partner',
    run: async ({ admin, visitor, params }) => {
      const partner = sees(visitor, params['id'] ?? '') ? await admin.findPartner(params['id'] ?? '') : null;
      if (partner === null) return err(NOTHING_HERE);
      return ok({ json: partnerJson(await admin.reinstatePartner(partner.id)) });
    },
  }),
  endpoint({
    ...READ,
    name: 'listStuckWork',
    path: '/work/stuck',
    summary: 'List held sessions, payments and tasks that do not advance, oldest first, at most 100',
    reply: listOf(STUCK),
    run: async ({ admin, legs, visitor, path }) => {
      const { data: all, hasMore: isCut } = await admin.stuckWork({
        limit: readCount(visitor, STUCK_MAX),
        explain: async (operationId) => {
          const operation = (await legs?.findOperation(operationId)) ?? null;
          if (operation?.status !== 'stuck') return null;
          return `The operation is stuck at ${operation.step} (${operation.reason})`;
        },
      });
      const found = all.filter(({ partnerId }) => sees(visitor, partnerId));
      const hasMore = visitor.partners === null ? isCut : found.length > STUCK_MAX;
      const data = found.slice(0, STUCK_MAX).map((one): z.input<typeof STUCK> => ({
        mode: one.mode,
        partner_id: one.partnerId,
        session_id: one.sessionId,
        intent_id: one.intentId,
        transaction_id: one.transactionId,
        operation_id: one.operationId,
        task_id: one.taskId,
        attempts: one.attempts,
        since: new Date(one.since).toISOString(),
        age_seconds: one.ageSeconds,
        next_attempt_at: isoOrNull(one.nextAttemptAt),
        reason: one.reason,
      }));
      return ok({ json: list(data, path, hasMore) });
    },
  }),
  endpoint({
    ...READ,
    name: 'listOldestWork',
    path: '/work/oldest',
    summary:
      'List of each kind of work the item that has been due the longest. `has_more`: more than 1,000 tasks are due, and a kind may be missing',
    reply: listOf(DUE),
    run: async ({ admin, visitor, path }) => {
      const { data: all, hasMore } = await admin.oldestWork();
      const found = all.filter(({ partnerId }) => sees(visitor, partnerId));
      const data = found.map((one): z.input<typeof DUE> => ({
        mode: one.mode,
        partner_id: one.partnerId,
        id: one.id,
        kind: one.kind,
        attempts: one.attempts,
        claims: one.claims,
        due_at: new Date(one.dueAt).toISOString(),
        age_seconds: one.ageSeconds,
        leased_until: isoOrNull(one.leasedUntil),
      }));
      // Of other partners' tasks, an operator of some learns nothing.
      return ok({ json: list(data, path, hasMore && visitor.partners === null) });
    },
  }),
  endpoint({
    ...READ,
    name: 'listHeldSessions',
    path: '/work/held',
    summary:
      'List sessions whose money may be moving, the longest hold first, at most 100 of each mode: with more, those that were created first',
    reply: listOf(HELD),
    run: async ({ gate, admin, visitor, path }) => {
      const found = await Promise.all(
        (['test', 'live'] as const).map(async (mode) => {
          const held = await admin.heldSessions(mode, readCount(visitor, HELD_MAX + 1));
          return held.filter(({ partnerId }) => sees(visitor, partnerId));
        }),
      );
      const hasMore = found.some((one) => one.length > HELD_MAX);
      const data = found
        .flatMap((one) => one.slice(0, HELD_MAX))
        .map((one): z.input<typeof HELD> => ({
          mode: one.mode,
          partner_id: one.partnerId,
          session_id: one.id,
          intent_id: one.intentId,
          held_since: isoOrNull(one.heldSince),
          age_seconds: one.heldSince === null ? null : Math.floor((gate.clock.now(one) - one.heldSince) / 1000),
        }));
      return ok({ json: list(data, path, hasMore) });
    },
  }),
  endpoint({
    ...READ,
    name: 'listDeadLetters',
    path: '/dead_letters',
    summary:
      'List dead-lettered deliveries by partner and mode, for one partner, or for the first 50 of each mode that have any',
    query: z.strictObject({ partner: z.string().optional(), mode: MODE.optional() }),
    reply: listOf(DEAD_LETTERS),
    run: async ({ admin, calls, visitor, query: { partner, mode }, path }) => {
      if (partner !== undefined && (!sees(visitor, partner) || (await admin.findPartner(partner)) === null))
        return err(NOTHING_HERE);
      const all = partner === undefined ? (await admin.listPartners()).map(({ id }) => id) : [partner];
      const seen = all.filter((id) => sees(visitor, id));
      const modes = mode === undefined ? MODES : [mode];
      const scopesIn = (one: Mode) =>
        seen.slice(0, COUNTED_PARTNERS_MAX).map((partnerId): Scope => ({ partnerId, mode: one }));
      const withSome = async (one: Mode): Promise<readonly Scope[]> => {
        const scopes = scopesIn(one);
        const counts = await admin.countDeadLetters(scopes, 1);
        return scopes.filter((_, index) => (counts[index] ?? 0) > 0);
      };
      const scopes = partner === undefined ? await Promise.all(modes.map(withSome)) : modes.map(scopesIn);
      const found = await Promise.all(
        scopes
          .flatMap((ofMode) => ofMode.slice(0, LISTED_MAX))
          .map(async (scope) => {
            const dead = await calls.webhooks.deliveries.list(scope, { status: 'dead_lettered', limit: 100 });
            return dead.isErr() ? [] : deadLetters(scope, dead.value);
          }),
      );
      const hasMore = seen.length > COUNTED_PARTNERS_MAX || scopes.some(({ length }) => length > LISTED_MAX);
      return ok({ json: list(found.flat(), path, hasMore) });
    },
  }),
];

interface DeadList {
  readonly data: readonly {
    readonly event_type: string;
    readonly created_at: string;
    readonly last_error: string | null;
  }[];
  readonly has_more: boolean;
}

/** Empty for a partner without dead letters. */
function deadLetters({ partnerId, mode }: Scope, { data, has_more: more }: DeadList): z.input<typeof DEAD_LETTERS>[] {
  const [newest, oldest] = [data.at(0), data.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const counts: Record<string, number> = {};
  for (const { event_type: type } of data) counts[type] = (counts[type] ?? 0) + 1;
  return [
    {
      partner_id: partnerId,
      mode,
      count: data.length,
      more,
      by_event_type: counts,
      newest_at: newest.created_at,
      oldest_at: oldest.created_at,
      last_error: newest.last_error,
    },
  ];
}
