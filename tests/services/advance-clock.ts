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
    const headers = { authorization, 'content-type': 'application/json' };
    now = await timeIn(await fetch(`${clock}/advance`, { method: 'POST', headers, body }));
  }
}

async function timeIn(response: Response): Promise<number> {
  const text = await response.text();
  if (!response.ok) throw new Error(`The test clock answered ${response.status}: ${text}`);
  // The API's own tests cover the shape of the clock.
  return Date.parse((JSON.parse(text) as { readonly now: string }).now);
}
