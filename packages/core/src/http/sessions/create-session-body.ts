import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { CreateSession, KycPackage } from '../../application/sessions/create-session.js';
import { readJson, type JsonDocument } from '../../domain/json/read-json.js';
import type { JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import { urlFault } from '../../domain/origin/origin.js';
import type { FieldError } from '../../domain/refusal.js';
import { FLOWS } from '../../domain/session/terms.js';
import type { BodyInput, Read } from '../endpoint.js';
import { oneOf, optional, readFields, text } from '../fields.js';
import { amount, currency, network, token } from '../money-fields.js';

const schema = z.strictObject({
  amount,
  currency,
  return_url: text(2048),
  cancel_url: optional(text(2048)),
  target_token: optional(token),
  target_network: optional(network),
  flow: optional(oneOf(FLOWS)),
  wallet_address: optional(text(128, 1)),
  user_reference: optional(text(128)),
  kyc_package: optional(z.looseObject({ provider: text(128, 1) }, { error: 'must be an object' })),
  // Opaque: only that it is an object matters, and its text is echoed.
  metadata: optional(z.custom<object>(isObject, { error: 'must be an object', params: { code: 'invalid_type' } })),
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The create body (spec: Create-session request body); every failed field is told. */
export function readCreateSession({ document, mode, policy }: BodyInput): Read<CreateSession> {
  const fields = readFields(schema, document.value);
  const metadata = document.members.get('metadata') ?? null;
  const returnUrl = readUrl(document.value, 'return_url', mode);
  const cancelUrl = readUrl(document.value, 'cancel_url', mode);
  const faults = [returnUrl?.fault ?? null, cancelUrl?.fault ?? null, metadataFault(metadata, policy)].filter(
    isPresent,
  );
  if (fields.isErr()) return err([...fields.error, ...faults]);
  if (faults.length > 0) return err(faults);
  const body = fields.value;
  return ok({
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
    origins: [returnUrl, cancelUrl].filter(isPresent),
    userReference: body.user_reference ?? null,
    kycPackage: isPresent(body.kyc_package) ? kycPackageOf(body.kyc_package.provider, document, policy) : null,
    metadata: isPresent(body.metadata) && metadata !== null ? metadata : EMPTY_METADATA,
  });
}

function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

const EMPTY_METADATA = '{}' as JsonText;

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

function parseUrl(text: string) {
  // The parser trims and drops what a browser later would too; a URL that holds such is a mistake.
  if (/[\s\p{Cc}\\]/u.test(text) || HIDDEN_RELATIVE.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    origin: url.origin,
    hasCredentials: url.username !== '' || url.password !== '',
  };
}

/** `https:host` and the like: absolute to a parser alone, but relative to the page that later follows it. */
const HIDDEN_RELATIVE = /^https?:(?!\/\/[^/])/i;

function metadataFault(metadata: JsonText | null, policy: Policy): FieldError | null {
  if (metadata === null || metadata.length * 3 <= policy.metadataBytesMax) return null;
  if (new TextEncoder().encode(metadata).byteLength <= policy.metadataBytesMax) return null;
  return { field: 'metadata', code: 'too_long', message: `metadata may have at most ${policy.metadataBytesMax} bytes` };
}

function kycPackageOf(provider: string, document: JsonDocument, policy: Policy): KycPackage {
  const body = document.members.get('kyc_package');
  if (body === undefined) throw new Error('A body that was read has lost a member.');
  const canonical = readJson(body, policy.bodyDepthMax);
  return { provider, body, canonical: canonical.isOk() ? canonical.value.canonical : body };
}
