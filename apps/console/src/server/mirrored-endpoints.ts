import type { GateRefusal } from '@gateramp/core';
import { err, ok, type Result } from 'neverthrow';
import { type Answer, endpoint } from './endpoint.js';
import { EXPORTED_HISTORY, exportedHistory } from './exported-history.js';
import { EXPORTED_TEST, exportedTest } from './exported-test.js';
import { eventsOf, HISTORY, historyOf } from './history.js';
import { fromGate, type Refusal } from './refusal.js';
import { READS } from './roles.js';

/** What all reads of `/v1` have in common. */
export const READ = {
  method: 'GET',
  audience: 'partner',
  needs: READS,
  reason: 'never',
  query: null,
  body: null,
  reply: null,
  success: 200,
} as const;

/** The answer of `/v1` as it is; a list is found here under another path. */
export function mirrored(done: Result<object, GateRefusal>, path: string): Result<Answer, Refusal> {
  return done
    .map((body) => ({ json: 'object' in body && body.object === 'list' ? { ...body, url: path } : body }))
    .mapErr(fromGate);
}

/** The reads of `/v1`, whose query the gate checks itself. */
export const MIRRORED_ENDPOINTS = [
  endpoint({
    ...READ,
    name: 'retrieveHistory',
    path: '/sessions/{id}/history',
    summary: 'Retrieve what a session and all that belongs to it were at each of its events',
    reply: HISTORY,
    run: async ({ calls, scope, params }) => {
      const done = await historyOf(calls, scope, params['id'] ?? '');
      return done.map((json) => ({ json })).mapErr(fromGate);
    },
  }),
  endpoint({
    ...READ,
    name: 'exportHistory',
    path: '/sessions/{id}/history/export',
    summary: 'Export the redacted history of a session as a file for another console',
    reply: EXPORTED_HISTORY,
    run: async ({ calls, admin, scope, params }) => {
      const done = await exportedHistory({ calls, admin }, scope, params['id'] ?? '');
      return done.map((json) => ({ json })).mapErr(fromGate);
    },
  }),
  endpoint({
    ...READ,
    name: 'exportTest',
    path: '/sessions/{id}/test',
    summary: 'Export a test for createTestGate that repeats the history of a session',
    reply: EXPORTED_TEST,
    run: async ({ calls, scope, params }) => {
      const id = params['id'] ?? '';
      // Also expires an overdue session first, as every read does.
      const session = await calls.sessions.retrieve(scope, id);
      if (session.isErr()) return err(fromGate(session.error));
      const read = await eventsOf(calls, scope, id);
      if (read.isErr()) return err(fromGate(read.error));
      const events = read.value.items;
      const json = { object: 'exported_test', file_name: `session-${id}.test.mjs`, text: exportedTest(id, events) };
      return ok({ json });
    },
  }),
  endpoint({
    ...READ,
    name: 'listEvents',
    path: '/events',
    summary: 'List events, newest first',
    mirrors: 'listEvents',
    run: async ({ calls, scope, query, path }) => mirrored(await calls.events.list(scope, query), path),
  }),
  endpoint({
    ...READ,
    name: 'retrieveEvent',
    path: '/events/{id}',
    summary: 'Retrieve an event as it is delivered',
    mirrors: 'retrieveEvent',
    run: async ({ calls, scope, params, path }) =>
      mirrored(await calls.events.retrieve(scope, params['id'] ?? ''), path),
  }),
  endpoint({
    ...READ,
    name: 'listDeliveries',
    path: '/deliveries',
    summary: 'List deliveries, newest first',
    mirrors: 'listDeliveries',
    run: async ({ calls, scope, query, path }) => mirrored(await calls.webhooks.deliveries.list(scope, query), path),
  }),
];
