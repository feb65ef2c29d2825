import { ok } from 'neverthrow';
import * as z from 'zod';
import { toJsonText } from '../domain/json.js';
import type { Mode } from '../domain/mode.js';
import { endpoint } from './endpoint.js';
import { ALL_HOSTS } from './hosts.js';
import { PUBLIC_READ } from './presets.js';
import { mode, wireType } from './schema/members.js';

function healthResource(mode: Mode) {
  return toJsonText({ object: 'health', status: 'ok', mode });
}

const HEALTH = wireType('Health', z.object({ object: z.literal('health'), status: z.literal('ok'), mode }), {
  description: 'The service is up, in this mode.',
  example: healthResource('test'),
});

export const healthEndpoint = endpoint({
  ...PUBLIC_READ,
  hosts: ALL_HOSTS,
  name: 'health',
  path: '/health',
  summary: 'Health probe, never throttled',
  reply: HEALTH,
  refusals: [],
  run: ({ mode }) => Promise.resolve(ok(healthResource(mode))),
});
