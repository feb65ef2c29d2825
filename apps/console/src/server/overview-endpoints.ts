import type { Mode } from '@gateramp/core';
import { decimal, MODES } from '@gateramp/core/domain';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { withPayments } from './payment-endpoints.js';
import { fromGate } from './refusal.js';
import { READS } from './roles.js';
import { MODE, TIME } from './schemas.js';
import { readCount, sees } from './visitor.js';

const COUNTED = z.object({
  count: z.int().describe('At most 1,000,000.'),
  more: z.boolean().describe('There may be more than were counted.'),
});

const OVERVIEW = z
  .object({
    now: TIME,
    deliveries: z
      .object({
        pending: COUNTED.describe('All deliveries that wait for an attempt.'),
        dead: COUNTED.describe('All dead-lettered deliveries.'),
        last_24h: z.object({ delivered: COUNTED, failed: COUNTED }),
      })
      .describe('`failed`: the last attempt failed; the delivery will be retried or is dead-lettered.'),
    endpoint: z.record(z.string(), z.unknown()).nullable(),
    recent: z.array(z.record(z.string(), z.unknown())).describe('The newest ten sessions, each with its `payment`.'),
  })
  .meta({ id: 'Overview', description: 'A partner’s deliveries, endpoint and newest sessions of one mode.' });

const TOTALS = z
  .object({
    now: TIME,
    from: TIME.describe('The start of the period.'),
    sessions: z.object({ open: COUNTED, completed: COUNTED, expired: COUNTED, cancelled: COUNTED }),
    payments: z.object({
      pending: COUNTED,
      processing: COUNTED,
      completed: COUNTED,
      failed: COUNTED,
      refunded: COUNTED,
      charged_back: COUNTED,
    }),
    money: z
      .array(
        z.object({
          currency: z.string(),
          received: z.string().describe('What buyers paid for completed payments.'),
          paid_out: z.string().describe('What was delivered to them.'),
          in_progress: z.string().describe('What buyers pay for pending and processing payments.'),
          returned: z.string().describe('What they had paid for payments that were refunded or charged back in full.'),
        }),
      )
      .describe('Exact sums by currency.'),
  })
  .meta({
    id: 'Totals',
    description: 'What was created in the period, by its present state. Every count stops at 1,000,000.',
  });

const ACTIVITY = z
  .object({
    now: TIME,
    from: TIME.describe('The start of the first hour.'),
    hours: z
      .array(
        z.object({
          from: TIME,
          sessions: z.object({ created: COUNTED, completed: COUNTED }),
          deliveries: z.object({ delivered: COUNTED, failed: COUNTED }),
        }),
      )
      .length(24)
      .describe('Oldest first. Each counts what was created in it, by its present state.'),
  })
  .meta({ id: 'Activity', description: 'A partner’s current hour and the 23 before it, in one mode.' });

const AMOUNTS = z
  .array(z.object({ mode: MODE, currency: z.string(), amount: z.string() }))
  .describe('Exact sums by mode and currency.');

const HELD_MONEY = z
  .object({
    sessions: COUNTED.extend({ amounts: AMOUNTS }).describe(
      'Sessions whose money may be moving. At most 1,000 of each mode are counted.',
    ),
    operations: COUNTED.extend({ amounts: AMOUNTS })
      .nullable()
      .describe(
        'Stuck operations of provider legs, by what the buyer pays; null without provider legs. At most 100 of each mode are counted.',
      ),
  })
  .meta({ id: 'HeldMoney', description: 'Money whose outcome is open, of the partners that the operator sees.' });

const CAPPED_COUNT = z.object({
  count: z.int().describe('At most 100 parked tasks of a mode, and at most 100 dead-lettered deliveries of a partner.'),
  more: z.boolean().describe('Whether there are others that are not counted.'),
});
const OF_MODES = z.object({ test: CAPPED_COUNT, live: CAPPED_COUNT });

const FAILED_WORK = z
  .object({
    parked_tasks: OF_MODES.describe(
      'Tasks that were claimed repeatedly without an outcome. At most 100 of each mode are counted.',
    ),
    dead_letters: OF_MODES.describe(
      'Dead-lettered deliveries of up to 500 partners, counted up to 100 for each partner and mode.',
    ),
  })
  .meta({
    id: 'FailedWork',
    description: 'Work that is no longer retried automatically, of the partners that the operator sees.',
  });

/** Tasks of a mode, and deliveries of a partner in one mode, that are counted. */
const FAILED_MAX = 100;
/** Partners whose dead letters are counted, all of them by one statement of each mode. */
export const COUNTED_PARTNERS_MAX = 500;

const HELD_MAX = 1_000;
const STUCK_MAX = 100;

/** The home page. */
export const OVERVIEW_ENDPOINTS = [
  endpoint({
    name: 'retrieveOverview',
    method: 'GET',
    path: '/overview',
    summary: 'Retrieve deliveries by state, the endpoint, and the newest sessions',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: OVERVIEW,
    success: 200,
    run: async ({ admin, calls, scope }) => {
      const [counts, hooks, recent] = await Promise.all([
        admin.overview(scope),
        calls.webhooks.endpoint(scope),
        calls.sessions.list(scope, { limit: 10 }),
      ]);
      if (hooks.isErr()) return err(fromGate(hooks.error));
      if (recent.isErr()) return err(fromGate(recent.error));
      const { pending, dead, delivered, failed } = counts.deliveries;
      return ok({
        json: {
          now: new Date(counts.now).toISOString(),
          deliveries: { pending, dead, last_24h: { delivered, failed } },
          endpoint: hooks.value.url === null ? null : hooks.value,
          recent: [...(await withPayments(admin, scope, recent.value.data))],
        } satisfies z.input<typeof OVERVIEW>,
      });
    },
  }),
  endpoint({
    name: 'retrieveTotals',
    method: 'GET',
    path: '/totals',
    summary: 'Count sessions and payments by state, and add up their money',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: z.object({ period: z.enum(['day', 'month']).default('day') }),
    body: null,
    reply: TOTALS,
    success: 200,
    run: async ({ admin, scope, query: { period } }) => {
      const { now, from, sessions, payments, money } = await admin.totals(scope, period);
      return ok({
        json: {
          now: new Date(now).toISOString(),
          from: new Date(from).toISOString(),
          sessions,
          payments,
          money: money.map(({ currency, received, delivered, inProgress, returned }) => ({
            currency,
            received,
            paid_out: delivered,
            in_progress: inProgress,
            returned,
          })),
        } satisfies z.input<typeof TOTALS>,
      });
    },
  }),
  endpoint({
    name: 'retrieveActivity',
    method: 'GET',
    path: '/activity',
    summary: 'Retrieve the last 24 hours, hour by hour',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: ACTIVITY,
    success: 200,
    run: async ({ admin, scope }) => {
      const { now, from, hours } = await admin.lastDay(scope);
      const iso = (at: number): string => new Date(at).toISOString();
      return ok({
        json: {
          now: iso(now),
          from: iso(from),
          hours: hours.map((hour) => ({
            from: iso(hour.from),
            sessions: { created: hour.sessionsCreated, completed: hour.sessionsCompleted },
            deliveries: { delivered: hour.deliveriesDelivered, failed: hour.deliveriesFailed },
          })),
        } satisfies z.input<typeof ACTIVITY>,
      });
    },
  }),
  endpoint({
    name: 'retrieveHeldMoney',
    method: 'GET',
    path: '/held_money',
    summary: 'Retrieve the amounts of held sessions and of stuck operations of provider legs',
    audience: 'operators',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: HELD_MONEY,
    success: 200,
    run: async ({ admin, legs, visitor }) => {
      const ownOf = <Row extends { readonly partnerId: string }>(rows: readonly Row[]): readonly Row[] =>
        rows.filter(({ partnerId }) => sees(visitor, partnerId));
      const [held, stuck] = await Promise.all([
        Promise.all(MODES.map((mode) => admin.heldSessions(mode, readCount(visitor, HELD_MAX + 1)).then(ownOf))),
        legs === null
          ? []
          : Promise.all(
              MODES.map((mode) =>
                legs
                  .listOperations({ mode, isStuck: true, after: null, limit: readCount(visitor, STUCK_MAX + 1) })
                  .then(ownOf),
              ),
            ),
      ]);
      const sessions = held.flatMap((one) => one.slice(0, HELD_MAX));
      const operations = stuck.flatMap((one) => one.slice(0, STUCK_MAX));
      return ok({
        json: {
          sessions: {
            count: sessions.length,
            more: held.some(({ length }) => length > HELD_MAX),
            amounts: sums(sessions.map(({ mode, terms: { amount, currency } }) => ({ mode, amount, currency }))),
          },
          operations:
            legs === null
              ? null
              : {
                  count: operations.length,
                  more: stuck.some(({ length }) => length > STUCK_MAX),
                  amounts: sums(
                    operations.flatMap(({ mode, source }) => (source === null ? [] : [{ mode, ...source }])),
                  ),
                },
        } satisfies z.input<typeof HELD_MONEY>,
      });
    },
  }),
  endpoint({
    name: 'retrieveFailedWork',
    method: 'GET',
    path: '/failed_work',
    summary: 'Retrieve how many tasks are parked and how many deliveries are dead-lettered, of all partners',
    audience: 'operators',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: FAILED_WORK,
    success: 200,
    run: async ({ admin, visitor }) => {
      const seen = (await admin.listPartners()).filter(({ id }) => sees(visitor, id));
      const partners = seen.slice(0, COUNTED_PARTNERS_MAX);
      const parkedIn = async (mode: Mode): Promise<CappedCount> => {
        const tasks = await admin.parkedTasks(mode, FAILED_MAX + 1, visitor.partners);
        return { count: Math.min(tasks.length, FAILED_MAX), more: tasks.length > FAILED_MAX };
      };
      const deadIn = async (mode: Mode): Promise<CappedCount> => {
        const scopes = partners.map(({ id }) => ({ partnerId: id, mode }));
        const counts = await admin.countDeadLetters(scopes, FAILED_MAX + 1);
        const count = counts.reduce((sum, one) => sum + Math.min(one, FAILED_MAX), 0);
        return { count, more: seen.length > COUNTED_PARTNERS_MAX || counts.some((one) => one > FAILED_MAX) };
      };
      const [parkedTest, parkedLive, deadTest, deadLive] = await Promise.all([
        parkedIn('test'),
        parkedIn('live'),
        deadIn('test'),
        deadIn('live'),
      ]);
      return ok({
        json: {
          parked_tasks: { test: parkedTest, live: parkedLive },
          dead_letters: { test: deadTest, live: deadLive },
        } satisfies z.input<typeof FAILED_WORK>,
      });
    },
  }),
];

type CappedCount = z.input<typeof CAPPED_COUNT>;

type Sum = z.input<typeof AMOUNTS>[number];

function sums(amounts: readonly Sum[]): Sum[] {
  const found = new Map<string, Sum>();
  for (const one of amounts) {
    const key = `${one.mode} ${one.currency}`;
    found.set(key, { ...one, amount: decimal.add(found.get(key)?.amount ?? '0', one.amount) });
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}
