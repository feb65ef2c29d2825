import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { StartError } from '../start-error.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;

/** The parameter of the URL that names the file of the certificate authority, as in `DATABASE_URL`. */
const ROOT_CERTIFICATE = 'sslrootcert';

/** Opens a client of `REDIS_URL`. Commands are not queued for long: callers have a fallback while Redis is unavailable. */
export function openRedis(text: string): Redis {
  const url = new URL(text);
  const authority = url.searchParams.get(ROOT_CERTIFICATE);
  url.searchParams.delete(ROOT_CERTIFICATE);
  if (authority !== null && url.protocol !== 'rediss:')
    throw new StartError([`REDIS_URL: ${ROOT_CERTIFICATE} is for TLS, so the URL must begin with rediss://.`]);
  const redis = new Redis(url.href, {
    ...(authority === null ? {} : { tls: { ca: readAuthority(authority) } }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => Math.min(times * 100, RECONNECT_MAX_MS),
  });
  // The adapters report outages; without a listener, the client writes them to the console.
  redis.on('error', () => undefined);
  return redis;
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new StartError([`REDIS_URL: cannot read the file of ${ROOT_CERTIFICATE}, "${path}" (${code}).`]);
  }
}
