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
export const serviceLeg = z
  .discriminatedUnion(
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
  )
  .nullable()
  .default(null);

type ServiceFile = z.output<typeof serviceLeg>;

/** The service with its secret. */
export type ServiceConfig = { readonly type: 'fake' } | ({ readonly type: 'http' } & HttpLegOptions) | null;

/** One service of the file, with its secret read from the environment. */
export interface ReadService {
  /** Null if there is none, or if it has problems. */
  readonly service: ServiceConfig;
  readonly problems: readonly string[];
  readonly variables: readonly string[];
}

const SECRET_LENGTH_MIN = 16;

/** Reads the secret of a service. Exactly one of `secret_env` and `token_env` must be set, and its value must be long enough. */
export function readService(
  place: 'identity' | 'screening',
  file: ServiceFile,
  environment: Readonly<Record<string, string | undefined>>,
): ReadService {
  if (file === null || file.type === 'fake') return { service: file, problems: [], variables: [] };
  const { url, secret_env: secretName, token_env: tokenName, timeout_seconds: seconds } = file;
  const name = secretName ?? tokenName;
  if (name === undefined || (secretName !== undefined && tokenName !== undefined))
    return { service: null, problems: [`${place}: must name either secret_env or token_env.`], variables: [] };
  const secret = environment[name] ?? '';
  const member = secretName === undefined ? 'token_env' : 'secret_env';
  const problem = `${place}.${member}: ${name} must be set to at least ${SECRET_LENGTH_MIN} visible ASCII characters.`;
  if (!/^[!-~]+$/.test(secret) || secret.length < SECRET_LENGTH_MIN)
    return { service: null, problems: [problem], variables: [name] };
  const credential =
    secretName === undefined ? ({ kind: 'bearer', token: secret } as const) : ({ kind: 'hmac', secret } as const);
  const timeout = seconds === undefined ? {} : { timeoutMs: seconds * 1_000 };
  return { service: { type: 'http', url, credential, ...timeout }, problems: [], variables: [name] };
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
