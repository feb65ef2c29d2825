import { placeOf, RedisOutage } from '@gateramp/adapters-queue-redis/connection';
import type { Redis } from 'ioredis';

/** Says what an operator can do about an error of Redis. Other errors are returned as they are. */
export function redisError(error: unknown, redis: Redis): unknown {
  if (!(error instanceof RedisOutage) || !(error.cause instanceof Error)) return error;
  const advice = replyAdvice(error.cause.message) ?? tlsAdvice(error.cause, redis.options.tls !== undefined);
  if (advice === null) return error;
  return new RedisOutage(`REDIS_URL: Redis at ${placeOf(redis)} ${advice}`, error.cause);
}

function replyAdvice(message: string): string | null {
  if (/\bWRONGPASS\b|invalid password/.test(message)) return 'refuses the user name or the password.';
  if (/\bNOAUTH\b/.test(message)) return 'needs a password: "redis://user:password@host:port".';
  if (/\bNOPERM\b/.test(message))
    return 'denies its user a command or key that the server needs. Compare its ACL with docs/operating.md.';
  if (/All sentinels are unreachable/.test(message))
    return 'is not known to any Sentinel that answers. Check their addresses, the name of the primary, and sentinel_password.';
  return null;
}

function tlsAdvice(error: Error, isTls: boolean): string | null {
  const code = 'code' in error ? String(error.code) : '';
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return `presents a certificate that is not signed by a known authority (${code}). Name the file of the authority's certificate: rediss://…?sslrootcert=/path/to/ca.pem.`;
  if (code === 'CERT_HAS_EXPIRED') return 'presents an expired certificate. Renew it on the server.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'presents a certificate for a different host name. Use the name of the certificate in the URL.';
  if (isTls && /^(ETIMEDOUT|EPROTO|ERR_SSL_.*)$/.test(code))
    return `does not complete a TLS handshake (${code}). Check that the port is its TLS port; without TLS the URL begins with redis://.`;
  if (!isTls && /^(ECONNRESET|EPIPE)$/.test(code))
    return `closes the connection (${code}). Where the port expects TLS, the URL begins with rediss://.`;
  return null;
}
