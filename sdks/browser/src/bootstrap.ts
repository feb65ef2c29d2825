import { MountError, type MountErrorCode } from './errors.js';
import { isObject, textOf, type Fields } from './fields.js';

/** The response of the bootstrap endpoint. */
export interface Bootstrapped {
  readonly embedToken: string;
  readonly available: boolean;
  /** Null when available. */
  readonly unavailableReason: string | null;
  /** The corridor that no provider serves, in wire format. */
  readonly detail: unknown;
  /** The flow of the session; null without a session, or if the buyer selects a tab. */
  readonly flow: string | null;
  /** In wire format; null without a `clientSecret`. */
  readonly session: Fields | null;
  readonly branding: Fields | null;
  /** The options on offer, in wire format. */
  readonly capabilities: unknown;
}

export interface BootstrapRequest {
  readonly api: URL;
  readonly publishableKey: string;
  readonly clientSecret: string | undefined;
  readonly countryCode: string | undefined;
  readonly fetchImpl: typeof fetch;
  readonly signal: AbortSignal;
}

/** Requests the bootstrap once. Rejects with a `MountError` that names the cause, or with the signal's reason. */
export async function bootstrap(request: BootstrapRequest): Promise<Bootstrapped> {
  const { api, signal } = request;
  const response = await ask(request).catch(async (error: unknown) => {
    // A violation of the page's Content-Security-Policy is reported shortly after the call fails, and is the more useful error.
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    throw new MountError('bootstrap_failed', {
      what: `${api.origin} has not answered (${String(error)}).`,
      hint: 'Check the host.',
    });
  });
  const requestId = response.headers.get('x-request-id');
  const body: unknown = await response.json().catch(() => null);
  signal.throwIfAborted();
  const fields = isObject(body) ? body : {};
  if (!response.ok) throw refused(response.status, fields, requestId);
  const opened = read(fields);
  if (opened !== null) return opened;
  throw new MountError('bootstrap_failed', {
    what: `${api.origin} did not answer as the API.`,
    hint: 'Check the host.',
    status: response.status,
    requestId,
  });
}

async function ask({
  api,
  publishableKey,
  clientSecret,
  countryCode,
  fetchImpl,
  signal,
}: BootstrapRequest): Promise<Response> {
  return fetchImpl(`${withoutSlash(api.href)}/v1/embed/bootstrap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}`, 'content-type': 'application/json' },
    // JSON leaves out undefined members: the schema of the body is closed.
    body: JSON.stringify({ clientSecret, country_code: countryCode }),
    signal,
  });
}

function read(body: Fields): Bootstrapped | null {
  const {
    available,
    embed_token: embedToken,
    session,
    branding,
    flow,
    capabilities,
    unavailable_detail: detail,
  } = body;
  if (typeof embedToken !== 'string' || typeof available !== 'boolean') return null;
  return {
    embedToken,
    available,
    unavailableReason: available ? null : (textOf(body['unavailable_reason']) ?? 'unknown'),
    detail,
    flow: textOf(flow),
    session: isObject(session) ? session : null,
    branding: isObject(branding) ? branding : null,
    capabilities,
  };
}

/** Reads both forms of the error envelope; an error in several fields has a list of messages. */
function refused(status: number, body: Fields, requestId: string | null): MountError {
  const code = textOf(body['code']) ?? '';
  const message = [body['message']].flat().join(' ');
  const [kind, hint] = reasonFor(code, status);
  return new MountError(kind, {
    what: `Refused with ${status} ${code}: ${message}`,
    hint,
    status,
    requestId: requestId ?? textOf(body['request_id']) ?? textOf(body['requestId']),
  });
}

function reasonFor(code: string, status: number): [MountErrorCode, string] {
  if (code === 'origin_not_allowed') return [code, `Add ${location.origin} to the partner's allowed origins.`];
  if (/_key_on_|key_mode/.test(code))
    return ['key_mode_mismatch', 'A pk_test_ key belongs to environment "sandbox", a pk_live_ key to "production".'];
  const isConfigurationError = status >= 400 && status <= 404;
  return ['bootstrap_failed', isConfigurationError ? 'Check publishableKey and clientSecret.' : 'Try again later.'];
}

/** Without trailing slashes, in time proportional to the length: a pattern such as `/+$` is not. */
function withoutSlash(href: string): string {
  let end = href.length;
  while (href[end - 1] === '/') end -= 1;
  return href.slice(0, end);
}
