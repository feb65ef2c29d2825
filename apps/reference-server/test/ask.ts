/** An untyped JSON value whose missing members read as undefined. */
export interface Json {
  readonly [name: string]: Json & string;
}

/** Sends and receives JSON; the test checks the answer itself. */
export async function call(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<{ status: number; headers: Headers; json: Json }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

const POLL_MS = 20;
/** Two minutes: it only ends what hangs, and a webhook that failed on a busy machine is repeated after one. */
const POLLS_MAX = 6_000;

/** Polls until there is a value: another process has no clock that the test could advance. */
export async function eventually<Value>(look: () => Promise<Value | null | undefined>): Promise<Value> {
  for (let poll = 0; poll < POLLS_MAX; poll += 1) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('It did not happen in time.');
}
