import { DAY, finishTask, type Instant, isoTime, newTask, refuse, scopeOf, toJsonText } from '@gateramp/core/domain';
import {
  apply,
  type DocumentKind,
  type DocumentRow,
  documentWrite,
  endpoint,
  executeKeyed,
  type Extension,
  fields,
  finishing,
  findRow,
  jsonBody,
  KEY_REFUSALS,
  KEYED_WRITE,
  members,
  param,
  SECRET_READ,
} from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';
import { ok } from 'neverthrow';
import * as z from 'zod';

/** A row of this extension: a reminder about a session, with the session's id. */
interface Reminder extends DocumentRow {
  readonly dueAt: Instant;
  readonly status: 'pending' | 'due';
}

const REMINDERS: DocumentKind<Reminder> = { noun: 'reminder' };

function reminderResource({ id, dueAt, status }: Reminder) {
  return toJsonText({ object: 'reminder', session_id: id, status, due_at: isoTime(dueAt) });
}

const REMINDER = members.wireType(
  'Reminder',
  z.object({
    object: z.literal('reminder'),
    session_id: z.string(),
    status: z.enum(['pending', 'due']),
    due_at: members.time,
  }),
  {
    description: 'A reminder about a session, which becomes due by itself.',
    example: reminderResource({
      partnerId: 'prt_acme',
      mode: 'test',
      id: '68a1f0c2b7e94d1f3a5c7e90',
      version: 1,
      createdAt: 0,
      dueAt: DAY,
      status: 'pending',
    }),
  },
);

const BODY = jsonBody('CreateReminder', z.strictObject({ days: fields.wholeNumber(1, 30) }), {
  description: 'In how many days the reminder becomes due.',
  example: { days: 1 },
  to: ({ days }) => days * DAY,
});

/** The session must be the caller's; a second reminder about it replaces the first. */
const createReminder = endpoint({
  ...KEYED_WRITE,
  name: 'createReminder',
  scope: 'sessions:write',
  path: '/v1/reminders/{id}',
  summary: 'Create a reminder about a session',
  body: BODY,
  reply: REMINDER,
  refusals: [...KEY_REFUSALS, 'session_not_found'],
  run: async ({ engine, caller: { scope }, params, body: delay, keyed, answer }) => {
    const id = param(params, 'id');
    const done = await executeKeyed<Reminder | null, Reminder, 'session_not_found'>(
      engine,
      {
        load: async () => {
          const session = await engine.store.find('session', scope, id);
          return session === null ? NO_SESSION : ok(await findRow(engine.store, REMINDERS, scope, id));
        },
        decide: (before) => {
          const now = engine.clock.now(scope);
          const row: Reminder = { ...scope, id, version: 0, createdAt: now, dueAt: now + delay, status: 'pending' };
          const task = { id: engine.ids.object(now), kind: 'reminder_due', ...scope, subjectId: id, dueAt: row.dueAt };
          const change = {
            ...emptyChange(scope, now),
            documents: [documentWrite(REMINDERS, row, before)],
            tasks: [newTask(task, now)],
          };
          return ok({ change, value: row });
        },
      },
      keyed(reminderResource),
    );
    return done.map((answered) => answer(answered, reminderResource));
  },
});

const NO_SESSION = refuse('session_not_found', 'There is no such session.');

const retrieveReminder = endpoint({
  ...SECRET_READ,
  name: 'retrieveReminder',
  scope: 'sessions:read',
  path: '/v1/reminders/{id}',
  summary: 'Retrieve the reminder about a session',
  reply: REMINDER,
  refusals: ['session_not_found'],
  run: async ({ engine, caller, params }) => {
    const row = await findRow(engine.store, REMINDERS, caller.scope, param(params, 'id'));
    return row === null ? NO_SESSION : ok(reminderResource(row));
  },
});

const calls = { reminders: { create: createReminder, retrieve: retrieveReminder } };

/** Reminders: two endpoints, a document and a task. */
export const reminders: Extension<typeof calls> = {
  contract: 2,
  name: 'reminders',
  endpoints: [createReminder, retrieveReminder],
  calls,
  tasks: {
    reminder_due: async (engine, task) => {
      const scope = scopeOf(task);
      await apply(engine, {
        load: () => findRow(engine.store, REMINDERS, scope, task.subjectId),
        decide: (before) => {
          const now = engine.clock.now(task);
          // A later reminder about the same session has a task of its own.
          const isDue = before !== null && before.dueAt <= now;
          const documents = isDue ? [documentWrite(REMINDERS, { ...before, status: 'due' as const }, before)] : [];
          const finishes = finishing(finishTask(task), task);
          return { change: { ...emptyChange(scope, now), documents, finishes }, value: null };
        },
      });
    },
  },
};
