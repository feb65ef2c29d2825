import { ok } from 'neverthrow';
import * as z from 'zod';
import { toJsonText } from '../domain/json.js';
import type { Mode } from '../domain/mode.js';
import { endpoint } from './endpoint.js';
import { ALL_HOSTS } from './hosts.js';
import { PUBLIC_READ } from './presets.js';
import { mode, wireType } from './schema/members.js';

type Health = { readonly object: 'health'; readonly status: 'ok'; readonly mode: Mode };

const HEALTH = wireType<Health>()('Health', z.object({ object: z.literal('health'), status: z.literal('ok'), mode }), {
  description: 'The service is up, in this mode.',
  example: { object: 'health', status: 'ok', mode: 'test' },
});

export const healthEndpoint = endpoint({
  ...PUBLIC_READ,
  hosts: ALL_HOSTS,
  name: 'health',
  path: '/health',
  summary: 'Health probe, never throttled',
  reply: HEALTH,
  refusals: [],
  run: ({ mode }) => Promise.resolve(ok(toJsonText({ object: 'health', status: 'ok', mode } satisfies Health))),
});
