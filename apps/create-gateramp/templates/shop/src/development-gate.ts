import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { expressGate } from '@gateramp/adapters-http-express';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import { sandbox } from '@gateramp/extensions/sandbox';
import { widgetListener } from '@gateramp/widget';
import express from 'express';
import type { Connection } from './gate.ts';

/** A gate in the memory of this process, for development only: it forgets its sessions, and the sandbox moves no money. */
export async function openDevelopmentGate(shopUrl: string): Promise<Connection> {
  const [api, checkout] = [createServer(), createServer()];
  const [apiUrl, checkoutUrl] = await Promise.all([listen(api), listen(checkout)]);

  const provider = sandboxProvider();
  const gate = createGate({
    store: memoryStore(),
    scheduler: inProcessScheduler(),
    limits: memoryRateLimits(),
    providers: [provider],
    extensions: [sandbox(provider.control)],
    hosts: { test: { widgetOrigin: checkoutUrl } },
    allowPrivateWebhooks: true, // the shop is on this machine
  });
  const partner = await gate.admin.createPartner({ name: 'Mug shop', allowedOrigins: [new URL(shopUrl).origin] });
  const secretKey = await gate.admin.issueKey(partner.id, { mode: 'test', type: 'secret' });
  const publishableKey = await gate.admin.issueKey(partner.id, { mode: 'test', type: 'publishable' });
  const webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  const endpoint = { url: `${shopUrl}/hooks`, secret: webhookSecret };
  await gate.admin.setEndpoint({ partnerId: partner.id, mode: 'test' }, endpoint);

  const originsOf = (key: string): Promise<readonly string[] | null> => gate.embed.allowedOrigins('test', key);
  checkout.on('request', widgetListener({ mode: 'test', apiOrigin: apiUrl, originsOf, onError: console.error }));
  api.on('request', express().use(expressGate(gate, { mode: 'test' })));
  await gate.start();
  console.log(`No GATE_URL: the gate runs in memory, for development only. API: ${apiUrl}, key: ${secretKey.text}`);
  return { apiUrl, checkoutUrl, secretKey: secretKey.text, publishableKey: publishableKey.text, webhookSecret };
}

/** On any free port. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}
