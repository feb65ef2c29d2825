import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { POOL } from './approvals.js';
import { ask, signedIn, testConsole } from './console.js';

it('pools of entitled partners are listed first, and `has_more` says that partners were left out', async () => {
  const { gate } = await createTestGate();
  const console = testConsole(gate);
  const cookie = await signedIn(console, null);
  const pools = async () => (await ask(console, '/pools', { cookie })).json();
  const addPartner = async (entitlements: readonly 'pools'[] = []) => {
    const { id } = await gate.admin.createPartner({ name: 'Partner', allowedOrigins: [], entitlements });
    return id;
  };
  const partners = (await gate.admin.listPartners()).length;
  for (let count = partners; count < 49; count += 1) await addPartner();
  const former = await addPartner();
  await gate.admin.savePool(former, { ...POOL, id: 'pool_of_former' });
  expect(await pools()).toMatchObject({ data: [{ partner_id: former }], has_more: false });
  const entitled = await addPartner(['pools']);
  await gate.admin.savePool(entitled, { ...POOL, id: 'pool_of_entitled' });
  expect(await pools()).toMatchObject({ data: [{ partner_id: entitled }], has_more: true });
});

it('a gate without the extension of pools has no pools, and nothing to move', async () => {
  const { gate, partner } = await createTestGate({ extensions: [consoleAccess(), inspection()] });
  const console = testConsole(gate);
  const cookie = await signedIn(console, null, { role: 'operator' });
  expect(await (await ask(console, '/pools', { cookie })).json()).toMatchObject({ data: [], has_more: false });
  const body = { currency: 'EUR', amount: '5', reference: 'r', reason: 'test' };
  const path = `/partners/${partner.id}/pools/${POOL.id}/movements`;
  expect((await ask(console, path, { cookie, method: 'POST', body })).status).toBe(404);
});
