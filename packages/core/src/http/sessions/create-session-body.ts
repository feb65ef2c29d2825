import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { CreateSession, KycPackage } from '../../application/sessions/create-session.js';
import { readJson } from '../../domain/json/read-json.js';
import type { JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
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
  wallet_address: optional(text(128)),
  user_reference: optional(text(128)),
  kyc_package: optional(z.looseObject({ provider: text(128, 1) }, { error: 'must be an object' })),
  metadata: optional(z.record(z.string(), z.unknown(), { error: 'must be an object' })),
});

/** The create body (spec: Create-session request body); every failed field is told. */
export function readCreateSession({ document, mode }: BodyInput): Read<CreateSession> {
  const fields = readFields(schema, document.value);
  const urls = [readUrl(document.value, 'return_url', mode), readUrl(document.value, 'cancel_url', mode)];
  const metadata = document.members.get('metadata') ?? null;
  const faults = [
    ...(fields.isErr() ? fields.error : []),
    ...urls.flatMap((url) => (url === null || url.fault === null ? [] : [url.fault])),
    ...metadataFault(metadata),
  ];
  if (fields.isErr() || faults.length > 0) return err(faults);
  const body = fields.value;
  return ok({
    terms: {
      flow: body.flow,
      amount: body.amount,
      currency: body.currency.toUpperCase(),
      targetToken: body.target_token,
      targetNetwork: body.target_network,
      walletAddress: body.wallet_address,
    },
    returnUrl: body.return_url,
    cancelUrl: body.cancel_url,
    origins: urls.flatMap((url) => (url === null || url.origin === null ? [] : [{ field: url.field, origin: url.origin }])),
    userReference: body.user_reference,
    kycPackage: body.kyc_package === null ? null : kycPackageOf(body.kyc_package.provider, document.members.get('kyc_package')),
    metadata: body.metadata === null || metadata === null ? EMPTY_METADATA : metadata,
  });
}

const EMPTY_METADATA = '{}' as JsonText;

interface ReadUrl {
  readonly field: string;
  readonly origin: string | null;
  readonly fault: FieldError | null;
}

/** Null when there is nothing to check: absent, or not text and refused by the schema. */
function readUrl(body: unknown, field: string, mode: Mode): ReadUrl | null {
  // The document is an object; the pipeline has checked that.
  const value = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof value !== 'string') return null;
  const url = parseUrl(value);
  const fault = urlFault(url, mode);
  if (fault !== null) return { field, origin: null, fault: { field, code: 'invalid_url', message: `${field} ${fault}` } };
  return { field, origin: url?.origin ?? null, fault: null };
}

function parseUrl(text: string) {
  // The parser trims and drops what a browser later would too; a URL that holds such is a mistake.
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    origin: url.origin,
    hasCredentials: url.username !== '' || url.password !== '',
  };
}

function metadataFault(metadata: JsonText | null): readonly FieldError[] {
  if (metadata === null || metadata.length * 3 <= DEFAULT_POLICY.metadataBytesMax) return [];
  if (new TextEncoder().encode(metadata).byteLength <= DEFAULT_POLICY.metadataBytesMax) return [];
  const message = `metadata may have at most ${DEFAULT_POLICY.metadataBytesMax} bytes`;
  return [{ field: 'metadata', code: 'too_long', message }];
}

function kycPackageOf(provider: string, body: JsonText | undefined): KycPackage {
  if (body === undefined) throw new Error('A body that was read has lost a member.');
  const canonical = readJson(body, DEFAULT_POLICY.bodyDepthMax);
  return { provider, body, canonical: canonical.isOk() ? canonical.value.canonical : body };
}
