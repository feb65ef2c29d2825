import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import { StartError } from '../start-error.js';
import { type SentinelUrl, sentinelUrl } from './sentinel-url.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;
/** A Sentinel that accepts connections and answers nothing is passed over. */
const SENTINEL_ANSWER_MAX_MS = 1_000;

const retryDelay = (times: number): number => Math.min(times * 100, RECONNECT_MAX_MS);

/** Commands are not queued for long: callers have a fallback while Redis is unavailable. */
const COMMON: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  retryStrategy: retryDelay,
  // A primary that was demoted keeps its connections for a while; a new one leads to the current primary.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/** The parameter of the URL that names the file of the certificate authority, as in `DATABASE_URL`. */
const ROOT_CERTIFICATE = 'sslrootcert';

/** Opens a client of `REDIS_URL`: of one address, or of the primary that Sentinels name. */
export function openRedis(text: string): Redis {
  const sentinel = sentinelUrl(text);
  const redis = sentinel === null ? openAddress(new URL(text)) : new Redis({ ...COMMON, ...optionsOf(sentinel) });
  // The adapters report outages; without a listener, the client writes them to the console.
  redis.on('error', () => undefined);
  return redis;
}

function openAddress(url: URL): Redis {
  const tls = tlsOf(url.searchParams, url.protocol === 'rediss:');
  url.searchParams.delete(ROOT_CERTIFICATE);
  return new Redis(url.href, { ...COMMON, ...(tls === null ? {} : { tls }) });
}

function optionsOf({ isTls, parameters, hosts, name, username, password, database }: SentinelUrl): RedisOptions {
  const tls = tlsOf(parameters, isTls);
  return {
    name,
    sentinels: hosts.map((host) => ({ ...host })),
    db: database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...given('sentinelUsername', parameters.get('sentinel_user')),
    ...given('sentinelPassword', parameters.get('sentinel_password')),
    sentinelCommandTimeout: SENTINEL_ANSWER_MAX_MS,
    sentinelRetryStrategy: retryDelay,
    ...(tls === null ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

const given = (name: 'sentinelUsername' | 'sentinelPassword', value: string | null): RedisOptions =>
  value === null ? {} : { [name]: value };

/** Null without TLS. */
function tlsOf(parameters: URLSearchParams, isTls: boolean): { readonly ca?: string } | null {
  const authority = parameters.get(ROOT_CERTIFICATE);
  if (authority === null) return isTls ? {} : null;
  if (!isTls) throw new StartError([`REDIS_URL: ${ROOT_CERTIFICATE} is for TLS, so the URL must begin with rediss.`]);
  return { ca: readAuthority(authority) };
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new StartError([`REDIS_URL: cannot read the file of ${ROOT_CERTIFICATE}, "${path}" (${code}).`]);
  }
}
