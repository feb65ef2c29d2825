import { readRefusal, UNREACHABLE, type Ahead, type ApiResult } from './refusal.js';

/** A call to the API of the console. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/console/v1/`, with its query. */
  readonly path: string;
  readonly body?: object;
}

const TIMEOUT_MS = 20_000;

/** Makes a call on the page's own origin; the session is in a cookie that scripts cannot read. */
export async function call({ method, path, body }: Call): Promise<ApiResult<unknown>> {
  try {
    const response = await fetch(`./console/v1/${path}`, {
      method,
      // Every change is sent as JSON, the only content type that another site cannot send without asking.
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
      credentials: 'same-origin',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
    return response.ok
      ? { ok: true, value: answer, ...aheadOf(response.headers, Date.now()) }
      : { ok: false, refusal: readRefusal(response.status, answer) };
  } catch {
    return { ok: false, refusal: UNREACHABLE };
  }
}

/** Nothing if the answer does not tell the time. */
export function aheadOf(headers: Headers, deviceNow: number): { readonly ahead?: Ahead } {
  const timeIn = (name: string): number => Number(headers.get(name) ?? NaN);
  const live = timeIn('gate-now');
  if (!Number.isFinite(live)) return {};
  const sandbox = timeIn('gate-sandbox-now');
  return { ahead: { live: live - deviceNow, scope: (Number.isFinite(sandbox) ? sandbox : live) - deviceNow } };
}
