import { err, ok } from 'neverthrow';
import type * as z from 'zod';
import type { CreateSession, KycPackage } from '../../application/sessions/create-session.js';
import { readJson, type JsonDocument } from '../../domain/json/read-json.js';
import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import { urlFault } from '../../domain/origin/origin.js';
import type { FieldError } from '../../domain/refusal.js';
import { bodyReadBy, type BodyInput } from '../schema/body.js';
import { readFields } from '../schema/fields.js';
import { readMetadata } from '../schema/metadata.js';
import { parseUrl } from '../schema/parse-url.js';
import type { Read } from '../schema/read.js';
import { createSessionFields } from './session-schemas.js';

/** What a create body may hold. */
export type CreateGateSession = z.input<typeof createSessionFields>;

export const CREATE_SESSION_BODY = bodyReadBy('CreateGateSession', createSessionFields, {
  description:
    'The terms of the session, fixed at creation. `amount` is a decimal string with at most 8 decimal places.',
  example: {
    amount: '100.00',
    currency: 'EUR',
    return_url: 'https://shop.example/done',
    flow: 'on_ramp',
    target_token: 'USDC',
    target_network: 'base',
    user_reference: 'order-1001',
    metadata: { order: 1001 },
  },
  read: readCreateSession,
});

/** Reads the create body; every failed field is named. */
export function readCreateSession(input: BodyInput): Read<CreateSession> {
  const { document, mode, policy } = input;
  const fields = readFields(createSessionFields, document.value);
  const metadata = readMetadata(input);
  const returnUrl = readUrl(document.value, 'return_url', mode);
  const cancelUrl = readUrl(document.value, 'cancel_url', mode);
  const faults = [...[returnUrl?.fault, cancelUrl?.fault].filter(isPresent), ...metadata.faults];
  if (fields.isErr()) return err([...fields.error, ...faults]);
  if (faults.length > 0) return err(faults);
  const body = fields.value;
  return ok({
    given: {
      terms: {
        flow: body.flow ?? null,
        amount: body.amount,
        currency: body.currency.toUpperCase(),
        targetToken: body.target_token ?? null,
        targetNetwork: body.target_network ?? null,
        walletAddress: body.wallet_address ?? null,
      },
      returnUrl: body.return_url,
      cancelUrl: body.cancel_url ?? null,
      userReference: body.user_reference ?? null,
      metadata: metadata.text,
    },
    origins: [returnUrl, cancelUrl].filter(isPresent),
    kycPackage: isPresent(body.kyc_package) ? kycPackageOf(body.kyc_package.provider, document, policy) : null,
  });
}

function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

interface ReadUrl {
  readonly field: string;
  /** Empty when there is a fault. */
  readonly origin: string;
  readonly fault: FieldError | null;
}

/** Null when there is nothing to check: absent, or not text and refused by the schema. */
function readUrl(body: unknown, field: string, mode: Mode): ReadUrl | null {
  // The document is an object; the pipeline has checked that.
  const value = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof value !== 'string') return null;
  const url = parseUrl(value);
  const fault = urlFault(url, mode);
  if (fault !== null) return { field, origin: '', fault: { field, code: 'invalid_url', message: `${field} ${fault}` } };
  return { field, origin: url?.origin ?? '', fault: null };
}

function kycPackageOf(provider: string, document: JsonDocument, policy: Policy): KycPackage {
  const body = document.members.get('kyc_package');
  if (body === undefined) throw new Error('A body that was read has lost a member.');
  const canonical = readJson(body, policy.bodyDepthMax);
  return { provider, body, canonical: canonical.isOk() ? canonical.value.canonical : body };
}
