import { bytesOf, secretsOf, type RawBody, type SigningSecrets } from './construct-event.js';
import { signatureOf } from './signature.js';

/** The body as it will be sent, the secrets, and the time of signing. */
export interface TestHeaderOptions {
  readonly payload: RawBody;
  /** Several secrets sign as in the grace period of a rotation. */
  readonly secret: SigningSecrets;
  /** Unix seconds. Default: now. */
  readonly timestamp?: number | undefined;
}

/** Creates a `Gate-Signature` header for tests of a receiver, as the service would send it with this body. */
export function generateTestHeader({ payload, secret, timestamp }: TestHeaderOptions): string {
  const t = timestamp ?? Math.floor(Date.now() / 1000);
  const body = bytesOf(payload);
  return [`t=${t}`, ...secretsOf(secret).map((one) => `v1=${signatureOf(t, body, one)}`)].join(',');
}
