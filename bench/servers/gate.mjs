import { createHash } from 'node:crypto';
import { memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';

export const SECRET_KEY = 'sk_test_0000000000000000benchmarks';

/** Servers that share a database must have the same master key. */
export const MASTER_KEY = createHash('sha256').update('benchmarks').digest();

export const WEBHOOK_SECRET = 'whsec_0000000000000000benchmarks';

export const PARTNER = {
  id: '65f0c0ffee65f0c0ffee0001',
  name: 'Bench',
  allowedOrigins: ['https://shop.example'],
  kycTrusted: false,
  liveEnabled: false,
  entitlements: [],
  completedSessionsQuota: null,
};

/** The engine with sealing and limits, without a worker. Deliveries are written as in production. */
export async function benchGate(store = memoryStore(), ports = {}) {
  const gate = createGate({
    store,
    scheduler: { wake: () => undefined, start: async () => undefined, close: async () => undefined },
    limits: countingLimits(),
    providers: [],
    masterKey: MASTER_KEY,
    // Without a worker, work is overdue.
    telemetry: { alarm: () => undefined, failure: (error) => console.error(error), note: () => undefined },
    ...ports,
  });
  await gate.admin.savePartner(PARTNER);
  await gate.admin.addKey(PARTNER.id, SECRET_KEY);
  const scope = { partnerId: PARTNER.id, mode: 'test' };
  await gate.admin.setEndpoint(scope, { url: 'https://shop.example/hooks', secret: WEBHOOK_SECRET });
  return gate;
}

/** Rate limits that count every request in the real windows, with limits so high that none is refused. */
function countingLimits() {
  const limits = memoryRateLimits();
  const roomy = new Map();
  const widen = (rules) => {
    let wide = roomy.get(rules);
    if (wide === undefined) {
      wide = rules.map((rule) => ({ ...rule, limit: Number.MAX_SAFE_INTEGER }));
      roomy.set(rules, wide);
    }
    return wide;
  };
  return { hit: (key, rules) => limits.hit(key, widen(rules)), peek: (key, rules) => limits.peek(key, widen(rules)) };
}

export async function oneSession(gate) {
  const created = await gate.sessions.create(
    { partnerId: PARTNER.id, mode: 'test' },
    { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
  );
  if (created.isErr()) throw new Error(created.error.message);
  return created.value.id;
}
