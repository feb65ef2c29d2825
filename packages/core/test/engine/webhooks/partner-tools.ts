import { createTestGate, REFUSED, type TestGate, type TestGateOptions, type TestRequest } from '@gateramp/testing';

export const DELIVERIES = '/v1/webhooks/deliveries';

/** A partner with its webhook tools. */
export async function partnerTools(options?: TestGateOptions) {
  const t = await createTestGate(options);
  const key = t.keys.secret.test;
  return {
    t,
    get: (path: string, mode: 'test' | 'live' = 'test') => t.request('GET', path, { key: t.keys.secret[mode], mode }),
    post: (path: string, request: TestRequest = {}) => t.request('POST', path, { key, ...request }),
    scope: { partnerId: t.partner.id, mode: 'test' as const },
  };
}

/** Deliveries of `count` sessions whose attempts have all failed, oldest first. The receiver keeps failing. */
export async function deadLettered(t: TestGate, count = 1): Promise<readonly string[]> {
  t.receiver.answerWith(() => REFUSED);
  for (let nth = 0; nth < count; nth += 1) {
    await t.createSession();
    await t.clock.advance('1s');
  }
  await t.clock.advance('4h');
  const page = await t.request('GET', `${DELIVERIES}?status=dead_lettered&limit=100`, { key: t.keys.secret.test });
  return rowsOf(page.json)
    .map(({ id }) => String(id))
    .reverse();
}

export function rowsOf(page: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  // Every list responds with an array of objects.
  return page['data'] as readonly Readonly<Record<string, unknown>>[];
}
