import type { Partners } from '@gateramp/core/ports';
import { createTestGate, TEST_WEBHOOK_SECRET, TEST_WEBHOOK_URL } from '@gateramp/testing';
import { expect, it } from 'vitest';

it("delivers to tenants of the host's own, signed with secrets that the gate has sealed for them", async () => {
  const t = await createTestGate();
  const secrets = [{ sealed: await t.gate.admin.sealSecret(TEST_WEBHOOK_SECRET), createdAt: 0, expiresAt: null }];
  const partners: Partners = {
    findKey: (hash) => t.store.findKey(hash),
    findPartner: (id) => t.store.findPartner(id),
    findEndpoint: async (scope) => ({ ...scope, url: TEST_WEBHOOK_URL, secrets }),
  };
  await t.gate.admin.setEndpoint({ partnerId: t.partner.id, mode: 'test' }, { url: null, secret: null });
  const own = t.restart({ partners });
  await own.createSession();
  await own.clock.advance('1s');
  expect(t.deliveries().map(({ type, verified }) => [type, verified])).toEqual([['gate_session.created', true]]);
  expect(JSON.stringify(secrets)).not.toContain(TEST_WEBHOOK_SECRET);
});
