import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 200;

/**
 * Advances the test clock of a sandbox through the API. One call runs due work for some seconds at most and then answers how
 * far it came, so a busy machine may need several.
 */
export async function advanceClock(sandbox: string, secretKey: string, seconds: number): Promise<void> {
  const authorization = `Bearer ${secretKey}`;
  const clock = `${sandbox}/v1/test_helpers/clock`;
  let now = await timeIn(await fetch(clock, { headers: { authorization } }));
  const target = now + seconds * 1_000;
  while (now < target) {
    const body = JSON.stringify({ seconds: Math.ceil((target - now) / 1_000) });
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
    now = await timeIn(await outcomeOf(() => fetch(`${clock}/advance`, { method: 'POST', headers, body })));
  }
}

/** Sends a call that was not answered in time again with its key, as the answer advises, until the call has ended. */
async function outcomeOf(send: () => Promise<Response>): Promise<Response> {
  const first = await send();
  if (first.status !== 503) return first;
  for (;;) {
    await delay(PAUSE_MS);
    const response = await send();
    // The call is still in progress.
    if (response.status !== 503 && response.status !== 409) return response;
  }
}

async function timeIn(response: Response): Promise<number> {
  const text = await response.text();
  if (!response.ok) throw new Error(`The test clock answered ${response.status}: ${text}`);
  // The API's own tests cover the shape of the clock.
  return Date.parse((JSON.parse(text) as { readonly now: string }).now);
}
