import { err, ok, type Result } from 'neverthrow';
import type { Gate } from './gate.js';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE, type Refusal, refusal } from './refusal.js';
import { CHANGES, READS } from './roles.js';
import { list, listOf, TIME } from './schemas.js';

const CHECKPOINT = z
  .object({
    object: z.literal('checkpoint'),
    id: z.string(),
    name: z.string(),
    created_at: TIME.describe('In the time of the sandbox.'),
    sessions: z.int(),
    payments: z.int(),
    work: z.int().describe('Pending tasks and deliveries.'),
  })
  .meta({ id: 'Checkpoint', description: 'A named state of a sandbox, to which it can be returned.' });

const RETURN = z
  .object({
    object: z.literal('checkpoint_return'),
    checkpoint: CHECKPOINT,
    now: TIME.describe('The time of the sandbox, which never goes back.'),
    restored: z.int().describe('Sessions restored to their state at the checkpoint.'),
    expired: z.int().describe('Open sessions created since the checkpoint, which have expired.'),
  })
  .meta({
    id: 'CheckpointReturn',
    description:
      'The time left until each pending deadline is the same as at the checkpoint. Ids, event numbers and the clock never go back: open sessions created since expire, and events announced since are still delivered.',
  });

type Checkpoints = Gate['admin']['checkpoints'];
type Checkpoint = Awaited<ReturnType<Checkpoints['list']>>[number];

function checkpointJson({ id, name, createdAt, sessions, payments, work }: Checkpoint): z.input<typeof CHECKPOINT> {
  const at = new Date(createdAt).toISOString();
  return { object: 'checkpoint', id, name, created_at: at, sessions, payments, work };
}

type Failure = Awaited<ReturnType<Checkpoints['create']>> extends Result<unknown, infer Error> ? Error : never;

const fromCheckpoints = ({ code, message }: Failure): Refusal =>
  code === 'not_found' ? { ...NOTHING_HERE, message } : refusal(code, message);

/** Shared by all changes. They exist in test mode only, where no reason is required. */
const CHANGE = { audience: 'partner', needs: CHANGES, reason: 'never', query: null } as const;

export const CHECKPOINT_ENDPOINTS = [
  endpoint({
    name: 'listCheckpoints',
    method: 'GET',
    path: '/checkpoints',
    summary: 'List the checkpoints of the sandbox, newest first',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: listOf(CHECKPOINT),
    success: 200,
    run: async ({ admin, scope, path }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const rows = await admin.checkpoints.list(scope.partnerId);
      return ok({ json: list(rows.map(checkpointJson), path) });
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'createCheckpoint',
    method: 'POST',
    path: '/checkpoints',
    summary: 'Save the state of the sandbox under a name',
    body: z.strictObject({ name: z.string().trim().min(1).max(60) }),
    reply: CHECKPOINT,
    success: 201,
    run: async ({ admin, scope, body }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const done = await admin.checkpoints.create(scope.partnerId, body.name);
      return done.map((one) => ({ json: checkpointJson(one) })).mapErr(fromCheckpoints);
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'returnToCheckpoint',
    method: 'POST',
    path: '/checkpoints/{id}/return',
    summary: 'Return the sandbox to a checkpoint',
    body: null,
    reply: RETURN,
    success: 200,
    run: async ({ admin, scope, params }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const done = await admin.checkpoints.return(scope.partnerId, params['id'] ?? '');
      return done
        .map(({ checkpoint, now, restored, expired }) => ({
          json: {
            object: 'checkpoint_return',
            checkpoint: checkpointJson(checkpoint),
            now: new Date(now).toISOString(),
            restored,
            expired,
          },
        }))
        .mapErr(fromCheckpoints);
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'deleteCheckpoint',
    method: 'DELETE',
    path: '/checkpoints/{id}',
    summary: 'Delete a checkpoint',
    body: null,
    reply: null,
    success: 204,
    run: async ({ admin, scope, params }) => {
      if (scope.mode === 'live') return err(NOTHING_HERE);
      const done = await admin.checkpoints.delete(scope.partnerId, params['id'] ?? '');
      return done.map(() => ({ json: null })).mapErr(fromCheckpoints);
    },
  }),
];
