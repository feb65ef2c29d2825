import type { Scope } from '@gateramp/core';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { endpoint } from './endpoint.js';
import { fromGate, NOTHING_HERE, refuse } from './refusal.js';
import { CHANGES, READS } from './roles.js';
import { TIME } from './schemas.js';

/** How many items of due work are shown. */
const DUE_SHOWN = 50;

const CLOCK = z
  .object({
    object: z.literal('sandbox_clock'),
    now: TIME,
    due: z.array(
      z.object({
        type: z.enum(['webhook_delivery', 'task', 'operation']),
        id: z.string(),
        due_at: TIME,
        what: z
          .string()
          .describe('The event type of a delivery, the kind of a task, or the step of an operation of a provider.'),
        subject_id: z.string().nullable().describe('The session of a delivery or operation; what a task is about.'),
        attempts: z.int(),
      }),
    ),
  })
  .meta({
    id: 'SandboxClock',
    description: 'The time of a sandbox, and what is due next. Sessions that expire are not listed: a read ends them.',
  });

const ADVANCE = z
  .object({
    object: z.literal('advance'),
    now: TIME.describe('The time of the sandbox.'),
    ran: z.int().describe('How many items ran.'),
    stopped: z
      .enum(['ended', 'waits_for_buyer', 'nothing_due', 'limit'])
      .describe(
        'ended: the session has ended and its deliveries have finished. waits_for_buyer: the buyer must act first. nothing_due: no more work is scheduled. limit: call again to continue.',
      ),
    session: z.object({ id: z.string(), status: z.string() }),
  })
  .meta({
    id: 'Advance',
    description: 'The result of advancing to the end of a session, and why the advance stopped.',
  });

type DueWork = Awaited<ReturnType<Gate['admin']['sandboxWork']>>[number];

function dueItem({ kind, id, dueAt, what, subjectId, attempts }: DueWork): z.input<typeof CLOCK>['due'][number] {
  const type = kind === 'delivery' ? 'webhook_delivery' : kind;
  return { type, id, due_at: new Date(dueAt).toISOString(), what, subject_id: subjectId, attempts };
}

/** The seconds until the next item is due, rounded up and at least one; null if nothing is due. */
async function secondsToNext({ admin, now }: { admin: Gate['admin']; now: string }, scope: Scope) {
  const [next] = await admin.sandboxWork(scope.partnerId, 1);
  return next === undefined ? null : Math.max(1, Math.ceil((next.dueAt - Date.parse(now)) / 1_000));
}

/** The time machine, forward: test mode only. */
export const CLOCK_ENDPOINTS = [
  endpoint({
    name: 'retrieveClock',
    method: 'GET',
    path: '/clock',
    summary: 'Retrieve the time of the sandbox and what is due next',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: CLOCK,
    success: 200,
    run: async ({ calls, admin, scope }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const clock = await calls.testClock.retrieve(scope);
      if (clock.isErr()) return err(fromGate(clock.error));
      const due = await admin.sandboxWork(scope.partnerId, DUE_SHOWN);
      return ok({ json: { object: 'sandbox_clock', now: clock.value.now, due: due.map(dueItem) } });
    },
  }),
  endpoint({
    name: 'advanceToEnd',
    method: 'POST',
    path: '/sessions/{id}/advance',
    summary: 'Advance the sandbox, item by item, until a session has ended and its deliveries have finished',
    audience: 'partner',
    needs: CHANGES,
    reason: 'never',
    query: null,
    body: null,
    reply: ADVANCE,
    success: 200,
    run: async ({ gate, calls, scope, params }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const clock = await calls.testClock.retrieve(scope);
      if (clock.isErr()) return err(fromGate(clock.error));
      const done = await gate.advanceToEnd(scope.partnerId, params['id'] ?? '');
      if (done === null) return err(NOTHING_HERE);
      const { now, fired, stopped, status } = done;
      const session = { id: params['id'] ?? '', status };
      return ok({
        json: { object: 'advance', now: new Date(now).toISOString(), ran: fired.length, stopped, session },
      });
    },
  }),
  endpoint({
    name: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the sandbox by a span, or until the next item is due, and run what becomes due',
    audience: 'partner',
    needs: CHANGES,
    // It changes nothing that is administered.
    reason: 'never',
    query: null,
    body: z.strictObject({
      seconds: z.int().min(1).optional(),
      to_next: z.literal(true).optional().describe('Instead of `seconds`: until the next item, to the second.'),
    }),
    mirrors: 'advanceClock',
    reply: null,
    success: 200,
    run: async ({ calls, admin, scope, body }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      if ((body.seconds === undefined) === (body.to_next === undefined))
        return refuse('validation_failed', 'Pass either seconds or to_next.');
      const clock = await calls.testClock.retrieve(scope);
      if (clock.isErr()) return err(fromGate(clock.error));
      const seconds = body.seconds ?? (await secondsToNext({ admin, now: clock.value.now }, scope));
      if (seconds === null) return refuse('already_done', 'Nothing is due in this sandbox.');
      const advanced = await calls.testClock.advance(scope, { seconds });
      return advanced.map((json) => ({ json })).mapErr(fromGate);
    },
  }),
];
