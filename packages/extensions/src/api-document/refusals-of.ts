import type { ErrorCode } from '@gateramp/core/domain';
import type { AnyEndpoint, Host } from '@gateramp/core/extension';
import type { Auth } from '@gateramp/core/http';

/** All codes that a call of the endpoint on these hosts may be refused with: its own, and those of the pipeline's checks. */
export function refusalsOf(endpoint: AnyEndpoint, hosts: readonly Host[]): readonly ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...ofCredential(endpoint, hosts),
      ...(endpoint.requires === null ? [] : [endpoint.requires.code]),
      ...(endpoint.cors === null ? [] : (['origin_not_allowed'] as const)),
      ...OF_KEY[endpoint.idempotency],
      ...ofQuery(endpoint),
      ...ofBody(endpoint),
      ...(endpoint.limits === null ? [] : (['rate_limit_exceeded'] as const)),
      ...endpoint.refusals,
    ]),
  ];
}

/** Codes that any request may get, whatever its endpoint. */
export const EVERYWHERE = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
  'try_again',
] as const satisfies readonly ErrorCode[];

const KEY_FORM = ['missing_credential', 'malformed_credential', 'wrong_key_type'] as const;
const KEY_LIFE = ['revoked_api_key', 'expired_api_key'] as const;

const OF_CREDENTIAL: Readonly<Record<Auth, readonly ErrorCode[]>> = {
  none: [],
  secret: [...KEY_FORM, ...KEY_LIFE, 'invalid_api_key'],
  publishable: [...KEY_FORM, ...KEY_LIFE, 'invalid_publishable_key'],
  any_key: [
    ...KEY_FORM.filter((code) => code !== 'wrong_key_type'),
    ...KEY_LIFE,
    'invalid_api_key',
    'invalid_publishable_key',
  ],
  embed: ['invalid_embed_token', 'expired_embed_token'],
};

function ofCredential({ auth, scope }: AnyEndpoint, hosts: readonly Host[]): readonly ErrorCode[] {
  if (auth === 'none') return [];
  const ofHost = hosts.map(({ wrongMode }) => wrongMode);
  return [
    ...OF_CREDENTIAL[auth],
    ...(auth === 'secret' || auth === 'any_key' ? (['ip_not_allowed'] as const) : []),
    ...(scope === null ? [] : (['insufficient_scope'] as const)),
    ...(auth === 'embed' ? [] : ofHost),
    ...(auth === 'secret' || auth === 'any_key' ? (['partner_suspended'] as const) : []),
    ...(hosts.some(({ mode }) => mode === 'live') ? (['live_keys_not_allowed'] as const) : []),
  ];
}

const OF_KEY: Readonly<Record<AnyEndpoint['idempotency'], readonly ErrorCode[]>> = {
  required: ['idempotency_key_required', 'idempotency_key_invalid'],
  honoured: ['idempotency_key_invalid'],
  ignored: [],
};

function ofQuery({ query }: AnyEndpoint): readonly ErrorCode[] {
  if (query.parameters === null) return [];
  return Object.keys(query.parameters).length === 0
    ? ['unknown_parameter']
    : ['unknown_parameter', 'validation_failed'];
}

/** A body sent to an endpoint without one is still parsed, to name its unknown fields. */
function ofBody({ body }: AnyEndpoint): readonly ErrorCode[] {
  if (body.kind === 'raw') return ['body_too_large', 'unsupported_media_type'];
  if (body.kind === 'file') return ['body_too_large', 'unsupported_media_type', 'validation_failed'];
  return ['body_too_large', 'unsupported_media_type', 'malformed_json', 'unknown_field', 'validation_failed'];
}
