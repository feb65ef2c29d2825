import { bytesOf, secretsOf, type RawBody, type SigningSecrets } from './construct-event.js';
import { signatureOf } from './signature.js';

/** What a test header is to be of: the body as it will be sent, the secrets, and when. */
export interface TestHeaderOptions {
  readonly payload: RawBody;
  /** Several sign as a rotation's grace period does. */
  readonly secret: SigningSecrets;
  /** Unix seconds; now when left out. */
  readonly timestamp?: number | undefined;
}

/** A `Gate-Signature` header for tests of a receiver: what the service would send with this body. */
export function generateTestHeader({ payload, secret, timestamp }: TestHeaderOptions): string {
  const t = timestamp ?? Math.floor(Date.now() / 1000);
  const body = bytesOf(payload);
  return [`t=${t}`, ...secretsOf(secret).map((one) => `v1=${signatureOf(t, body, one)}`)].join(',');
}
