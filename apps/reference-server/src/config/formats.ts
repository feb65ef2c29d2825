import { isIP } from 'node:net';
import { isOriginText } from '@gateramp/core/domain';
import { masterKeyProblem, proxyProblem } from '@gateramp/core/runtime';
import * as z from 'zod';
import { databaseHosts } from '../database/hosts.js';
import { sentinelUrl } from '../redis/sentinel-url.js';

// How the text of a variable is read. Invalid values are quoted unless they could be secrets.

export const text = z.string();

/** An address or a name to bind to. */
export const bindAddress = z
  .string()
  .regex(/^[^\s/]+$/, 'must be an address or a host name to bind to, without scheme or port.');

/** In lower case, as they are compared. */
export const hostNames = z.string().transform((given, context) => {
  const names = given.split(',').map((name) => name.trim().toLowerCase());
  for (const name of names)
    if (!/^[a-z0-9._-]+$/.test(name))
      context.addIssue(`must be host names without scheme or port, comma-separated; "${name}" is not one.`);
  return names;
});

const PORT_MAX = 65_535;

export const port = z.string().transform((given, context) => {
  const number = /^\d{1,5}$/.test(given) ? Number(given) : PORT_MAX + 1;
  if (number > PORT_MAX) context.addIssue(`must be a whole number from 0 to ${PORT_MAX}, not "${given}".`);
  return number;
});

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: (issue) => `must be ${listed(values)}, not "${String(issue.input)}".` });
}

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

export const toggle = z
  .enum(['on', 'off', 'true', 'false'], {
    error: (issue) => `must be on or off (or true, false), not "${String(issue.input)}".`,
  })
  .transform((given) => given === 'on' || given === 'true');

export function milliseconds({ min, max }: Readonly<Record<'min' | 'max', number>>) {
  return z.string().transform((given, context) => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : -1;
    if (number < min || number > max)
      context.addIssue(`must be a whole number of milliseconds from ${min} to ${max}, not "${given}".`);
    return number;
  });
}

/** The factor of all limits; null disables them. */
export const rateLimits = z.string().transform((given, context) => {
  if (given === 'off' || given === 'false') return null;
  if (given === 'on' || given === 'true') return 1;
  const factor = /^\d{1,7}(\.\d{1,6})?$/.test(given) ? Number(given) : 0;
  if (factor <= 0 || factor > 1_000_000)
    context.addIssue(`must be on, off or a factor above 0 such as 20, not "${given}".`);
  return factor;
});

export const publicUrl = z
  .string()
  .refine(
    (given) => /^https?:\/\/[^?#@\s]+$/.test(given) && URL.canParse(given),
    'must be an address such as https://api.example.com.',
  );

/** Over plain http, everyone on the network could read what is entered, and the cookie of a session. */
const PAGE_ORIGIN = /^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d{1,5})?)\/?$/;

export function pageOrigin(example: string) {
  return z
    .string()
    .refine(
      (given) => PAGE_ORIGIN.test(given) && URL.canParse(given) && isOriginText(new URL(given).origin),
      `must be an https origin such as ${example}, or http on a loopback address.`,
    )
    .transform((given) => new URL(given).origin);
}

/** Over plain http, everyone on the network could answer in the provider's name. */
const ISSUER = /^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d{1,5})?)(\/[^?#\s]*)?$/;

export const issuer = z
  .string()
  .refine(
    (given) => ISSUER.test(given) && URL.canParse(given),
    'must be the https address of a provider such as https://id.example.com, or http on a loopback address.',
  );

export const scopes = z
  .string()
  .regex(/^openid( [!#-[\]-~]+)*$/, 'must be scopes separated by spaces, of which the first is openid.');

const NAMED_NETWORKS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** In the format of both frameworks. */
export const trustedProxies = z
  .string()
  .refine(
    (given) => given.split(',').every((part) => isNetwork(part.trim())),
    `must be addresses or networks ("10.0.0.0/8"), or any of ${NAMED_NETWORKS.join(', ')}, comma-separated.`,
  );

function isNetwork(given: string): boolean {
  const [address = '', bits] = given.split('/', 2);
  if (NAMED_NETWORKS.includes(given)) return true;
  return (
    isIP(address) !== 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128)))
  );
}

/** Never quoted: it may contain a password. */
export const databaseUrl = z
  .string()
  .refine(
    (given) => databaseHosts(given) !== null,
    'must be a URL such as "postgres://user:password@host:port/name", with several hosts "host:port,host:port", or "postgres:///name?host=/socket/folder".',
  );

const CONNECTIONS_MAX = 500;

export const connections = z.string().transform((given, context) => {
  const number = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (number < 1 || number > CONNECTIONS_MAX)
    context.addIssue(`must be a whole number from 1 to ${CONNECTIONS_MAX}, not "${given}".`);
  return number;
});

/** Never quoted: it may contain a password. */
export const redisUrl = z
  .string()
  .refine(
    (given) => isService(given, ['redis:', 'rediss:']) || sentinelUrl(given) !== null,
    'must be a URL such as "redis://user:password@host:port/name", or "redis+sentinel://:password@host:port,host:port/primary" for Sentinel.',
  );

/** Never quoted: it may contain a password. */
export const collectorUrl = z
  .string()
  .refine(
    (given) => isService(given, ['http:', 'https:']),
    'must be a URL such as "http://user:password@host:port/name".',
  );

function isService(given: string, schemes: readonly string[]): boolean {
  return URL.canParse(given) && schemes.includes(new URL(given).protocol) && new URL(given).hostname !== '';
}

/** Never quoted: it may contain a password. */
export const webhookProxy = z.string().superRefine((given, context) => {
  const problem = proxyProblem(given);
  if (problem !== null) context.addIssue(`${problem}.`);
});

export const masterKey = z.string().transform((given, context) => {
  const problem = masterKeyProblem(given);
  if (problem !== null) context.addIssue(problem);
  return keyBytes(given);
});

export const oldMasterKeys = z.string().transform((given, context) => {
  const keys = given.split(',').map((key) => key.trim());
  keys.forEach((key, index) => {
    const problem = masterKeyProblem(key);
    if (problem !== null) context.addIssue(`key ${index + 1}: ${problem}`);
  });
  return keys.map(keyBytes);
});

function keyBytes(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'base64'));
}
