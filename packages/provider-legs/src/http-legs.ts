import { createHmac } from 'node:crypto';
import type { IdentityCheck, Instant, Redirect } from '@gateramp/core/domain';
import { isLoopback, isRecord, signatureHeader } from '@gateramp/core/domain';
import type { Confirmation } from '@gateramp/core/ports';
import type { IdentityLeg, IdentityResult, LegCall, LegPending, ScreeningLeg } from './ports/legs.js';

/** How to call your service over HTTP. docs/writing-a-leg.md has the requests and responses. */
export interface HttpLegOptions {
  /** Receives every call as a POST. */
  readonly url: string;
  /** `hmac` signs each body as webhooks are signed, in `x-gate-signature`; `bearer` is sent as `authorization`. */
  readonly credential:
    | { readonly kind: 'hmac'; readonly secret: string }
    | { readonly kind: 'bearer'; readonly token: string };
  /** After this time the result of a call is unknown, and the call is repeated. 3 s by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 65_536;
const CHECK_AFTER_SECONDS = { usual: 5, max: 3_600 } as const;
const TEXT_MAX = 200;
const KYC_FIELDS: readonly unknown[] = ['first_name', 'last_name', 'date_of_birth', 'document_number'];

/** Screens wallets with a service. Only the answer `clear` to the same call lets money through. */
export function httpScreening(options: HttpLegOptions): ScreeningLeg {
  const ask = callsTo(options);
  return {
    contract: 2,
    name: 'http_screening',
    async screen({ callId, mode, moment, address, network, asset, amount }) {
      const answer = await ask('screening', { callId, mode }, { moment, address, network, asset, amount });
      switch (answer['result']) {
        case 'clear':
        case 'blocked':
          return { kind: answer['result'] };
        case 'pending':
          return pending(answer);
        default:
          throw new Error('The screening service answered no known result.');
      }
    },
  };
}

/** Verifies buyers with a service. Only the answer `verified` to the same call lets them continue. */
export function httpIdentity(options: HttpLegOptions): IdentityLeg {
  const ask = callsTo(options);
  return {
    contract: 2,
    name: 'http_identity',
    async check({ callId, mode, now, amount, currency, countryCode }) {
      const about = { amount, currency, country_code: countryCode };
      return identityResult(await ask('identity_check', { callId, mode }, about), now);
    },
    async confirm({ callId, mode, now, confirmation }) {
      const given = { confirmation: confirmationBody(confirmation) };
      return identityResult(await ask('identity_confirm', { callId, mode }, given), now);
    },
  };
}

type Answer = Readonly<Record<string, unknown>>;

/** Makes one call. Throws on anything but a complete answer to it; the error contains neither the body nor the URL. */
function callsTo({ url, credential, timeoutMs = TIMEOUT_MS }: HttpLegOptions) {
  return async (type: string, { callId, mode }: Pick<LegCall, 'callId' | 'mode'>, given: object): Promise<Answer> => {
    const body = JSON.stringify({ type, call_id: callId, mode, ...given });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': callId, ...credentialHeader(credential, body) },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`The service answered ${response.status} to ${type}.`);
    }
    const answer = parse(await boundedText(response));
    // A cached response, or one to another call, does not count.
    if (answer?.['call_id'] !== callId) throw new Error(`The service did not answer the ${type} that was asked for.`);
    return answer;
  };
}

function credentialHeader(credential: HttpLegOptions['credential'], body: string): Readonly<Record<string, string>> {
  if (credential.kind === 'bearer') return { authorization: `Bearer ${credential.token}` };
  const t = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', credential.secret).update(`${t}.${body}`).digest('hex');
  return { 'x-gate-signature': signatureHeader(t, [signature]) };
}

/** Reads the body of a service's answer, up to 64 KiB. A longer body throws as soon as the limit is exceeded. */
export async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return '';
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > ANSWER_BYTES_MAX) throw new Error('The service answered with too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Answer | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function pending({ check_after_seconds: seconds = CHECK_AFTER_SECONDS.usual }: Answer): LegPending {
  if (typeof seconds !== 'number' || !(seconds >= 1 && seconds <= CHECK_AFTER_SECONDS.max))
    throw new Error('The service answered no usable check_after_seconds.');
  return { kind: 'pending', checkAfterMs: Math.round(seconds * 1_000) };
}

function identityResult(answer: Answer, now: Instant): IdentityResult {
  switch (answer['result']) {
    case 'verified':
      return { kind: 'verified' };
    case 'pending':
      return pending(answer);
    case 'rejected':
      return { kind: 'failed', failure: rejection(answer) };
    case 'requires_action':
      return { kind: 'requires_action', nextAction: nextAction(answer['next_action'], now) };
    default:
      throw new Error('The identity service answered no known result.');
  }
}

function rejection({ message, retryable }: Answer) {
  const isGiven = typeof message === 'string' && message.length > 0 && message.length <= TEXT_MAX;
  return {
    code: 'kyc_rejected',
    message: isGiven ? message : 'Your identity could not be verified.',
    retryable: retryable === true,
  };
}

function nextAction(given: unknown, now: Instant): IdentityCheck | Redirect {
  const action: Answer = isRecord(given) ? given : {};
  const { type, url, expires_at: expires, level, fields } = action;
  if (type === 'redirect' && typeof url === 'string' && isSafeUrl(url)) {
    const expiresAt = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
    // The service uses wall-clock time; the deadline is in the time of the mode.
    const leftMs = expiresAt - Date.now();
    if (leftMs > 0) return { type: 'redirect', url, expiresAt: now + leftMs };
  }
  if (type === 'kyc' && typeof level === 'string' && level.length > 0 && level.length <= TEXT_MAX && isFields(fields))
    return { type: 'kyc', level, fields };
  throw new Error('The identity service asked for an action that is not known or not usable.');
}

function isFields(fields: unknown): fields is readonly string[] {
  return Array.isArray(fields) && fields.length > 0 && fields.every((field) => KYC_FIELDS.includes(field));
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return (
    (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) && username === '' && password === ''
  );
}

/** The confirmation in wire format. */
function confirmationBody(confirmation: Confirmation): object {
  if (confirmation.action !== 'kyc') return { action: confirmation.action };
  const { firstName, lastName, dateOfBirth, documentNumber } = confirmation.kyc;
  return {
    action: 'kyc',
    first_name: firstName,
    last_name: lastName,
    date_of_birth: dateOfBirth,
    document_number: documentNumber,
  };
}
