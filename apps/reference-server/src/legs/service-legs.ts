import { isLoopback } from '@gateramp/core/domain';
import {
  fakeIdentity,
  fakeScreening,
  httpIdentity,
  httpScreening,
  type HttpLegOptions,
  type IdentityLeg,
  type LegsStore,
  type ScreeningLeg,
} from '@gateramp/provider-legs';
import * as z from 'zod';

/** `identity` and `screening` of a legs file: a service operated by the platform, or the fake. */
export const serviceTypes = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('fake') }),
    z.strictObject({
      type: z.literal('http'),
      url: z
        .url({ protocol: /^https?$/, error: 'must be an https URL' })
        .refine(isEncrypted, 'must be https, or http on this machine'),
      /** Signs each call (HMAC). */
      secret_env: variable().optional(),
      /** Sent as a bearer token. */
      token_env: variable().optional(),
      timeout_seconds: z.number().min(0.1, 'must be from 0.1 to 5').max(5, 'must be from 0.1 to 5').optional(),
    }),
  ],
  'must be null, {"type": "fake"} or {"type": "http", …}',
);

/** A service of the legs file; null for none. */
export const serviceLeg = serviceTypes.nullable().default(null);

type ServiceFile = z.output<typeof serviceLeg>;

/** The service with its secret. */
export type ServiceConfig = { readonly type: 'fake' } | ({ readonly type: 'http' } & HttpLegOptions) | null;

/** The service with its secret, which has been checked. */
export function serviceOf(file: ServiceFile, environment: Readonly<Record<string, string | undefined>>): ServiceConfig {
  if (file === null || file.type === 'fake') return file;
  const { url, secret_env: secretName, token_env: tokenName, timeout_seconds: seconds } = file;
  const secret = environment[secretName ?? tokenName ?? ''] ?? '';
  const credential =
    secretName === undefined ? ({ kind: 'bearer', token: secret } as const) : ({ kind: 'hmac', secret } as const);
  return { type: 'http', url, credential, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1_000 }) };
}

/** The configured identity leg; null for none. */
export function identityOf(config: ServiceConfig, store: LegsStore): IdentityLeg | null {
  if (config === null) return null;
  return config.type === 'fake' ? fakeIdentity({ store }) : httpIdentity(config);
}

/** The configured screening leg; null for none. */
export function screeningOf(config: ServiceConfig): ScreeningLeg | null {
  if (config === null) return null;
  return config.type === 'fake' ? fakeScreening() : httpScreening(config);
}

/** The value is never quoted: a secret pasted here must not reach a log. */
function variable() {
  return z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the name of an environment variable, such as GATE_SCREENING_SECRET');
}

/** Calls contain personal data, and responses decide about money. */
function isEncrypted(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
