import { createServer } from 'node:http';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { expressGate } from '@gateramp/adapters-http-express';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import { widgetListener } from '@gateramp/widget';
import { freePort } from '../../../services/ports.js';
import { openTab } from '../../open-tab.js';

const SHOP = 'http://127.0.0.1:4240';

it('the checkout calls an API that is mounted below a path, as the README mounts it', async () => {
  const [apiPort, checkoutPort] = [await freePort(), await freePort()];
  const checkoutOrigin = `http://127.0.0.1:${checkoutPort}`;
  const gate = createGate({
    store: memoryStore(),
    scheduler: inProcessScheduler(),
    limits: memoryRateLimits(),
    providers: [sandboxProvider()],
    hosts: { test: { widgetOrigin: checkoutOrigin } },
  });
  await gate.start();
  onTestFinished(() => gate.stop());
  const partner = await gate.admin.createPartner({ name: 'Acme', allowedOrigins: [SHOP] });
  const { text: key } = await gate.admin.issueKey(partner.id, { mode: 'test', type: 'publishable' });
  const apiOrigin = `http://127.0.0.1:${apiPort}/sandbox`;
  const originsOf = (publishableKey: string) => gate.embed.allowedOrigins('test', publishableKey);
  const servers = [
    express()
      .use('/sandbox', expressGate(gate, { mode: 'test' }))
      .listen(apiPort, '127.0.0.1'),
    createServer(widgetListener({ mode: 'test', apiOrigin, originsOf })).listen(checkoutPort, '127.0.0.1'),
  ];
  onTestFinished(() => servers.forEach((server) => (server.closeAllConnections(), server.close())));
  const created = await gate.sessions.create(
    { partnerId: partner.id, mode: 'test' },
    { amount: '100.00', currency: 'EUR', return_url: `${SHOP}/done`, flow: 'on_ramp' },
    { idempotencyKey: 'order-1' },
  );
  const secret = created.isOk() ? created.value.client_secret : '';

  const { page } = await openTab();
  await page.goto(`${checkoutOrigin}/?publishableKey=${key}#client_secret=${secret}`);
  await page.getByText(/^Price held for/).waitFor();
  expect(page.url()).toBe(`${checkoutOrigin}/`);
});
