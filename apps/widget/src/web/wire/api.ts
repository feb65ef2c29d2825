import type { uploadFile } from './upload.js';
import { readRefusal, UNREACHABLE, type ApiResult, type Refusal } from './refusal.js';
import type {
  Bootstrap,
  ConfirmBody,
  DocumentSide,
  EmbedSession,
  Intent,
  IntentBody,
  QuotesBody,
  Quotes,
  SavedMethods,
} from './types.js';

/** The calls of the embed API. All retries of a write share its idempotency key, so that it takes effect once. */
export interface Api {
  session(): Promise<ApiResult<EmbedSession>>;
  cancelSession(): Promise<ApiResult<EmbedSession>>;
  quotes(body: QuotesBody): Promise<ApiResult<Quotes>>;
  createIntent(body: IntentBody): Promise<ApiResult<Intent>>;
  intent(id: string): Promise<ApiResult<Intent>>;
  confirm(id: string, body: ConfirmBody): Promise<ApiResult<Intent>>;
  cancel(id: string): Promise<ApiResult<Intent>>;
  /** Uploads one side of a document. Not retried. */
  upload(id: string, side: DocumentSide, file: Blob, onProgress: (share: number) => void): Promise<ApiResult<Intent>>;
  savedMethods(): Promise<ApiResult<SavedMethods>>;
  removeSaved(id: string): Promise<ApiResult<unknown>>;
}

const TRIES_MAX = 4;
const TRY_TIMEOUT_MS = 20_000;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 10_000;

/** `token` is stored in this closure only. `upload` loads the uploader with the step that needs it. */
export function embedApi(origin: string, token: string, upload: () => Promise<typeof uploadFile>): Api {
  const get = <Value>(path: string) => call<Value>(`${origin}/v1/embed/${path}`, { 'x-embed-token': token }, null);
  const post = <Value>(path: string, body: object | null) =>
    call<Value>(
      `${origin}/v1/embed/${path}`,
      { 'x-embed-token': token, 'idempotency-key': crypto.randomUUID() },
      { body },
    );
  return {
    session: () => get('session'),
    cancelSession: () => post('session/cancel', null),
    quotes: (body) => post('quotes', body),
    createIntent: (body) => post('intents', body),
    intent: (id) => get(`intents/${encodeURIComponent(id)}`),
    confirm: (id, body) => post(`intents/${encodeURIComponent(id)}/confirm`, body),
    cancel: (id) => post(`intents/${encodeURIComponent(id)}/cancel`, null),
    upload: async (id, side, file, onProgress) => {
      const url = `${origin}/v1/embed/intents/${encodeURIComponent(id)}/documents/${side}`;
      try {
        return await (
          await upload()
        )({ url, token, file, onProgress });
      } catch {
        return { ok: false, refusal: UNREACHABLE };
      }
    },
    savedMethods: () => get('payment_methods'),
    removeSaved: (id) => post(`payment_methods/${encodeURIComponent(id)}/remove`, null),
  };
}

/** The bootstrap call, which the full page makes itself. */
export function bootstrap(origin: string, publishableKey: string, clientSecret: string): Promise<ApiResult<Bootstrap>> {
  return call(
    `${origin}/v1/embed/bootstrap`,
    { authorization: `Bearer ${publishableKey}` },
    { body: { clientSecret } },
  );
}

async function call<Value>(
  url: string,
  headers: Readonly<Record<string, string>>,
  sent: { readonly body: object | null } | null,
): Promise<ApiResult<Value>> {
  const body = sent?.body ?? null;
  const request: RequestInit = {
    method: sent === null ? 'GET' : 'POST',
    headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === null ? null : JSON.stringify(body),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
  };
  for (let tried = 1; ; tried += 1) {
    const { answer, retryAfterMs } = await once<Value>(url, request);
    if (retryAfterMs === null || tried === TRIES_MAX) return answer;
    await pause(Math.max(retryAfterMs, WAIT_FIRST_MS * 2 ** (tried - 1)));
  }
}

interface Tried<Value> {
  readonly answer: ApiResult<Value>;
  /** Null if a retry would not help. */
  readonly retryAfterMs: number | null;
}

async function once<Value>(url: string, request: RequestInit): Promise<Tried<Value>> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(TRY_TIMEOUT_MS) });
    // The cast relies on the API contract. A success with a truncated body throws here, and is retried.
    if (response.ok) return { answer: { ok: true, value: (await response.json()) as Value }, retryAfterMs: null };
    const refusal = readRefusal(response.status, await response.json().catch(() => null));
    return { answer: { ok: false, refusal }, retryAfterMs: retryAfter(response, refusal) };
  } catch {
    return { answer: { ok: false, refusal: UNREACHABLE }, retryAfterMs: 0 };
  }
}

/**
 * Retries after outages, rate limits, and while an earlier try of the same write is still in progress. A wait above the maximum is left to
 * the buyer.
 */
function retryAfter(response: Response, { code }: Refusal): number | null {
  if (response.status === 429) {
    const waitMs = Number(response.headers.get('retry-after-short') ?? '1') * 1000;
    return waitMs <= WAIT_MAX_MS ? waitMs : null;
  }
  return response.status >= 500 || code === 'operation_in_progress' ? 0 : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
