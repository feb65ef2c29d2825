import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undiciWebhookSender } from '@gateramp/core/runtime';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { expect, it, onTestFinished } from 'vitest';
import { stopwatch } from '../../../../../tests/services/stopwatch.js';
import { nameServer } from '../../runtime/webhook/name-server.js';

/** Closes every connection, so that each attempt needs a look-up. */
async function receiver(): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume();
    response.writeHead(200, { connection: 'close' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a pipe's name
  return { url: `http://localhost:${port}/hooks`, count: () => count };
}

/** The look-ups of the unresponsive server end by themselves after 4.5 s. */
const SOON_MS = 4_000;

it("a partner's unresponsive name server delays neither webhooks of others nor other look-ups of the process", async () => {
  let answer = (): void => undefined;
  const answered = new Promise<null>((resolve) => {
    answer = () => resolve(null);
  });
  const [dead, hooks] = [await nameServer(() => answered), await receiver()];
  const sender = undiciWebhookSender({
    allowPrivate: true,
    resolver: { servers: [dead.address] },
  });
  onTestFinished(() => sender.close());
  const t = await createTestGate({ ports: { sender } });
  await t.gate.admin.setEndpoint(
    { partnerId: TEST_PARTNER.id, mode: 'test' },
    { url: 'http://hooks.dead.example/', secret: null },
  );
  const other = { ...TEST_PARTNER, id: '65f0c0ffee65f0c0ffee0002' };
  await t.gate.admin.savePartner(other);
  await t.gate.admin.setEndpoint(
    { partnerId: other.id, mode: 'test' },
    { url: hooks.url, secret: 'whsec_0000000000000000000000000other' },
  );

  for (let event = 0; event < 40; event += 1) await t.createSession();
  const dying = t.gate.runDue();
  await expect.poll(() => dead.asked.length).toBeGreaterThan(0);
  const elapsed = stopwatch();
  const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  for (let event = 0; event < 5; event += 1) await t.gate.sessions.create({ partnerId: other.id, mode: 'test' }, body);
  const delivering = t.gate.runDue();
  await lookup('localhost');
  await expect.poll(hooks.count).toBe(5);
  expect(elapsed()).toBeLessThan(SOON_MS);
  answer();

  await Promise.all([dying, delivering]);
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' as const };
  const none = {
    status: null,
    eventType: null,
    eventId: null,
    target: null,
    sessionId: null,
    createdAfter: null,
    createdBefore: null,
  };
  const owed = await t.store.list('delivery', scope, none, { start: { kind: 'newest' }, limit: 100 });
  expect(owed.map(({ delivery }) => delivery.lastError)).toEqual(Array.from({ length: 40 }, () => 'dns'));
});
