import { isIP } from 'node:net';
import { isOriginText } from '@gateramp/core/domain';
import { masterKeyProblem, proxyProblem } from '@gateramp/core/runtime';
import * as z from 'zod';
import { databaseHosts } from './database/hosts.js';
import { sentinelUrl } from './redis/sentinel-url.js';

/** Every listener with the variable that sets its port, and the default port. */
export const LISTENERS = {
  sandbox: { variable: 'GATE_SANDBOX_PORT', port: 4242 },
  live: { variable: 'GATE_LIVE_PORT', port: 4243 },
  sandboxWidget: { variable: 'GATE_SANDBOX_WIDGET_PORT', port: 4244 },
  widget: { variable: 'GATE_WIDGET_PORT', port: 4245 },
  pools: { variable: 'GATE_POOLS_PORT', port: 4246 },
  demo: { variable: 'GATE_DEMO_PORT', port: 4240 },
  ops: { variable: 'GATE_OPS_PORT', port: 4247 },
  console: { variable: 'GATE_CONSOLE_PORT', port: 4248 },
} as const;

export type ListenerName = keyof typeof LISTENERS;

const PORT_MAX = 65_535;

/** Invalid values are quoted unless they could be secrets. */
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

function toggle<const Usual extends boolean | null>(usual: Usual) {
  const error = (issue: { readonly input?: unknown }): string =>
    `must be on or off (or true, false), not "${String(issue.input)}".`;
  return z
    .enum(['on', 'off', 'true', 'false'], { error })
    .optional()
    .transform((text) => (text === undefined ? usual : text === 'on' || text === 'true'));
}

const masterKey = z
  .string()
  .transform((text, context) => {
    const fault = masterKeyProblem(text);
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
      const fault = masterKeyProblem(key);
      if (fault !== null) context.addIssue(`key ${index + 1}: ${fault}`);
    });
    return keys.map((key) => new Uint8Array(Buffer.from(key, 'base64')));
  });

function isService(text: string, ...schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol) && new URL(text).hostname !== '';
}

/** Never quoted: it may contain a password. */
function serviceUrl(...schemes: readonly string[]) {
  return z
    .string()
    .refine(
      (text) => isService(text, ...schemes),
      `must be a URL such as "${schemes[0] ?? ''}//user:password@host:port/name".`,
    )
    .optional()
    .transform((url) => url ?? null);
}

/** Never quoted: it may contain a password. */
const webhookProxy = z
  .string()
  .transform((text, context) => {
    const problem = proxyProblem(text);
    if (problem !== null) context.addIssue(`${problem}.`);
    return text;
  })
  .optional()
  .transform((text) => text ?? null);

/** Never quoted: it may contain a password. */
const redisUrl = z
  .string()
  .refine(
    (text) => isService(text, 'redis:', 'rediss:') || sentinelUrl(text) !== null,
    'must be a URL such as "redis://user:password@host:port/name", or "redis+sentinel://:password@host:port,host:port/primary" for Sentinel.',
  )
  .optional()
  .transform((url) => url ?? null);

/** Never quoted: it may contain a password. */
const databaseUrl = z
  .string()
  .refine(
    (text) => databaseHosts(text) !== null,
    'must be a URL such as "postgres://user:password@host:port/name", with several hosts "host:port,host:port", or "postgres:///name?host=/socket/folder".',
  )
  .optional()
  .transform((url) => url ?? null);

const CONNECTIONS_MAX = 500;

const connections = z
  .string()
  .default('10')
  .transform((text, context) => {
    const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > CONNECTIONS_MAX)
      context.addIssue(`must be a whole number from 1 to ${CONNECTIONS_MAX}, not "${text}".`);
    return number;
  });

/** The factor of all limits; null disables them. */
const rateLimits = z
  .string()
  .default('on')
  .transform((text, context) => {
    if (text === 'off' || text === 'false') return null;
    if (text === 'on' || text === 'true') return 1;
    const factor = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
    if (factor <= 0 || factor > 1_000_000)
      context.addIssue(`must be on, off or a factor above 0 such as 20, not "${text}".`);
    return factor;
  });

function milliseconds({ usual, min, max }: Readonly<Record<'usual' | 'min' | 'max', number>>) {
  return z
    .string()
    .default(String(usual))
    .transform((text, context) => {
      const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
      if (number < min || number > max)
        context.addIssue(`must be a whole number of milliseconds from ${min} to ${max}, not "${text}".`);
      return number;
    });
}

/** In lower case, as they are compared. */
const hostNames = z
  .string()
  .default('')
  .transform((text, context) => {
    const names = text === '' ? [] : text.split(',').map((name) => name.trim().toLowerCase());
    for (const name of names)
      if (!/^[a-z0-9._-]+$/.test(name))
        context.addIssue(`must be host names without scheme or port, comma-separated; "${name}" is not one.`);
    return names;
  });

/** Over plain http, everyone on the network could read what is entered, and the cookie of a session. */
const PAGE_ORIGIN = /^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d{1,5})?)\/?$/;

function pageOrigin(example: string) {
  return z
    .string()
    .refine(
      (text) => PAGE_ORIGIN.test(text) && URL.canParse(text) && isOriginText(new URL(text).origin),
      `must be an https origin such as ${example}, or http on a loopback address.`,
    )
    .optional()
    .transform((text) => (text === undefined ? null : new URL(text).origin));
}

const publicUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\/[^?#@\s]+$/.test(text) && URL.canParse(text),
    'must be an address such as https://api.example.com.',
  )
  .optional()
  .transform((text) => text ?? null);

/** Over plain http, everyone on the network could answer in the provider's name. */
const issuer = z
  .string()
  .refine(
    (text) => ISSUER.test(text) && URL.canParse(text),
    'must be the https address of a provider such as https://id.example.com, or http on a loopback address.',
  )
  .optional()
  .transform((text) => text ?? null);

const ISSUER = /^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d{1,5})?)(\/[^?#\s]*)?$/;

const text = z
  .string()
  .optional()
  .transform((given) => given ?? null);

const scopes = z
  .string()
  .regex(/^openid( [!#-[\]-~]+)*$/, 'must be scopes separated by spaces, of which the first is openid.')
  .default('openid email profile');

const NAMED_NETWORKS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** In the format of both frameworks. */
const trustedProxies = z
  .string()
  .refine(
    (text) => text.split(',').every((part) => isNetwork(part.trim())),
    `must be addresses or networks ("10.0.0.0/8"), or any of ${NAMED_NETWORKS.join(', ')}, comma-separated.`,
  )
  .optional()
  .transform((text) => text ?? null);

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/', 2);
  if (NAMED_NETWORKS.includes(text)) return true;
  return (
    isIP(address) !== 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128)))
  );
}

/** All variables with their defaults and formats. */
export const VARIABLES = z.object({
  GATE_HOST: z
    .string()
    .regex(/^[^\s/]+$/, 'must be an address or a host name to bind to, without scheme or port.')
    .default('127.0.0.1'),
  GATE_HOST_NAMES: hostNames,
  GATE_PUBLIC_URL: publicUrl,
  GATE_SANDBOX_URL: publicUrl,
  GATE_LIVE_URL: publicUrl,
  GATE_SANDBOX_WIDGET_URL: pageOrigin('https://pay-sandbox.example.com'),
  GATE_WIDGET_URL: pageOrigin('https://pay.example.com'),
  GATE_SANDBOX_PORT: port(LISTENERS.sandbox.port),
  GATE_LIVE_PORT: port(LISTENERS.live.port),
  GATE_SANDBOX_WIDGET_PORT: port(LISTENERS.sandboxWidget.port),
  GATE_WIDGET_PORT: port(LISTENERS.widget.port),
  GATE_POOLS_PORT: port(LISTENERS.pools.port),
  GATE_DEMO_PORT: port(LISTENERS.demo.port),
  GATE_OPS_PORT: port(LISTENERS.ops.port),
  GATE_CONSOLE_PORT: port(LISTENERS.console.port),
  GATE_CONSOLE_URL: pageOrigin('https://console.example.com'),
  GATE_OIDC_ISSUER: issuer,
  GATE_OIDC_CLIENT_ID: text,
  GATE_OIDC_CLIENT_SECRET: text,
  GATE_OIDC_ROLES_CLAIM: z.string().default('gateramp_roles'),
  GATE_OIDC_PARTNERS_CLAIM: text,
  GATE_OIDC_SCOPES: scopes,
  GATE_HTTP: choice(['fastify', 'express']).default('fastify'),
  GATE_ROLE: choice(['all', 'api', 'worker']).default('all'),
  GATE_DATA_DIR: z
    .string()
    .optional()
    .transform((path) => path ?? null),
  DATABASE_URL: databaseUrl,
  GATE_DATABASE_CONNECTIONS: connections,
  GATE_DATABASE_PROXY: toggle(false),
  GATE_DATABASE_DISTRIBUTED: toggle(false),
  /** The file in which this process records what it has acknowledged, outside of the database. */
  GATE_STATE_FILE: z
    .string()
    .optional()
    .transform((path) => path ?? null),
  REDIS_URL: redisUrl,
  GATE_MASTER_KEY: masterKey,
  GATE_MASTER_KEYS_OLD: oldMasterKeys,
  GATE_SEED_FILE: z.string().optional(),
  GATE_LEGS_FILE: z.string().optional(),
  GATE_RATE_LIMITS: rateLimits,
  GATE_DRAIN_DELAY_MS: milliseconds({ usual: 0, min: 0, max: 600_000 }),
  GATE_KEEP_ALIVE_MS: milliseconds({ usual: 72_000, min: 1_000, max: 3_600_000 }),
  /** Null: on with the memory store. */
  GATE_DEMO: toggle(null),
  GATE_REQUEST_TIMEOUT_MS: milliseconds({ usual: 10_000, min: 100, max: 60_000 }),
  GATE_TRUSTED_PROXIES: trustedProxies,
  /** Null: on in memory, where no money is real. */
  GATE_LIVE_SANDBOX: toggle(null),
  /** Null: on if everything is in this process. */
  GATE_TEST_CLOCK: toggle(null),
  /** Absent: `partner`, unless provider legs run in test mode. */
  GATE_TEST_CLOCK_SCOPE: choice(['partner', 'mode']).optional(),
  GATE_ALLOW_PRIVATE_WEBHOOKS: toggle(null),
  GATE_WEBHOOK_PROXY: webhookProxy,
  GATE_LOG: choice(['pretty', 'json', 'silent']).optional(),
  GATE_LOG_LEVEL: choice(['debug', 'info', 'warn', 'error']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl('http:', 'https:'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serviceUrl('http:', 'https:'),
});

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}
