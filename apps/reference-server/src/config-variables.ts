import { masterKeyFault } from '@gateramp/core/runtime';
import * as z from 'zod';

/** Every listener: the variable that moves it, and where it listens otherwise. */
export const LISTENERS = {
  sandbox: { variable: 'GATE_SANDBOX_PORT', port: 4242 },
  live: { variable: 'GATE_LIVE_PORT', port: 4243 },
  sandboxWidget: { variable: 'GATE_SANDBOX_WIDGET_PORT', port: 4244 },
  widget: { variable: 'GATE_WIDGET_PORT', port: 4245 },
  pools: { variable: 'GATE_POOLS_PORT', port: 4246 },
  demo: { variable: 'GATE_DEMO_PORT', port: 4240 },
  ops: { variable: 'GATE_OPS_PORT', port: 4247 },
} as const;

export type ListenerName = keyof typeof LISTENERS;

const PORT_MAX = 65_535;

/** A bad value is quoted back where it cannot be a secret. */
function port(usual: number) {
  return z
    .string()
    .default(String(usual))
    .transform((text, context) => {
      const number = /^\d{1,5}$/.test(text) ? Number(text) : PORT_MAX + 1;
      if (number > PORT_MAX) context.addIssue(`must be a whole number from 0 to ${PORT_MAX}, not "${text}".`);
      return number;
    });
}

function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: (issue) => `must be ${listed(values)}, not "${String(issue.input)}".` });
}

function toggle(usual: boolean) {
  const error = (issue: { readonly input?: unknown }): string => `must be on or off (or true, false), not "${String(issue.input)}".`;
  return z
    .enum(['on', 'off', 'true', 'false'], { error })
    .transform((text) => text === 'on' || text === 'true')
    .default(usual);
}

const masterKey = z
  .string()
  .transform((text, context) => {
    const fault = masterKeyFault(text);
    if (fault !== null) context.addIssue(fault);
    return new Uint8Array(Buffer.from(text, 'base64'));
  })
  .optional()
  .transform((key) => key ?? null);

const oldMasterKeys = z
  .string()
  .default('')
  .transform((text, context) => {
    const keys = text === '' ? [] : text.split(',').map((key) => key.trim());
    keys.forEach((key, index) => {
      const fault = masterKeyFault(key);
      if (fault !== null) context.addIssue(`key ${index + 1}: ${fault}`);
    });
    return keys.map((key) => new Uint8Array(Buffer.from(key, 'base64')));
  });

function notInThisBuild(what: string) {
  return z
    .string()
    .optional()
    .refine((text) => text === undefined, `this build has embedded adapters only and cannot use ${what}. Unset it to run in memory.`);
}

const role = choice(['all', 'api', 'worker'])
  .default('all')
  .transform((name, context) => {
    if (name !== 'worker') return name;
    context.addIssue('a worker needs a store that other processes write to; with embedded adapters use "all".');
    return z.NEVER;
  });

/** Every variable, its default, and what it must look like. */
export const VARIABLES = z.object({
  GATE_HOST: z.string().regex(/^[^\s/]+$/, 'must be an address or a host name to bind to, without scheme or port.').default('127.0.0.1'),
  GATE_SANDBOX_PORT: port(LISTENERS.sandbox.port),
  GATE_LIVE_PORT: port(LISTENERS.live.port),
  GATE_SANDBOX_WIDGET_PORT: port(LISTENERS.sandboxWidget.port),
  GATE_WIDGET_PORT: port(LISTENERS.widget.port),
  GATE_POOLS_PORT: port(LISTENERS.pools.port),
  GATE_DEMO_PORT: port(LISTENERS.demo.port),
  GATE_OPS_PORT: port(LISTENERS.ops.port),
  GATE_HTTP: choice(['fastify', 'express']).default('fastify'),
  GATE_ROLE: role,
  DATABASE_URL: notInThisBuild('Postgres'),
  REDIS_URL: notInThisBuild('Redis'),
  GATE_MASTER_KEY: masterKey,
  GATE_MASTER_KEYS_OLD: oldMasterKeys,
  GATE_SEED_FILE: z.string().optional(),
  GATE_RATE_LIMITS: toggle(true),
  GATE_TEST_CLOCK: toggle(true),
  GATE_ALLOW_PRIVATE_WEBHOOKS: toggle(true),
  GATE_LOG: choice(['pretty', 'json', 'silent']).optional(),
});

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}
