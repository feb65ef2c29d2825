import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { consoleListener } from '../src/index.js';
import { ask, send, signedIn, type TestConsole, testConsole } from './console.js';

const SESSION = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/' };
const HOUR = 3_600_000;
const ended = Symbol('ended');

// Only timers: promises and sockets stay real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens a stream whose messages the test reads one by one. */
async function opened(console: TestConsole, cookie: string, query = '', headers = {}) {
  const answer = await send(console, `/stream${query}`, { cookie, headers });
  if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text());
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  /** The topics of all messages since the last call. */
  const taken = async (): Promise<readonly string[] | typeof ended> => {
    const topics = new Set<string>();
    for (;;) {
      const read = await Promise.race([reader.read(), settled().then(() => null)]);
      if (read === null) return [...topics].toSorted();
      if (read.done) return ended;
      for (const [, data] of decoder.decode(read.value).matchAll(/^data: (.*)$/gm))
        for (const topic of Object.keys(JSON.parse(data ?? '') as object)) topics.add(topic);
    }
  };
  await taken();
  return { taken, leave: () => reader.cancel(), answer };
}

/** Promises that do not depend on I/O settle within a few turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
};

async function twoPartners() {
  const { gate, clock } = await createTestGate();
  const other = await gate.admin.createPartner({ name: 'Bolt', allowedOrigins: ['https://shop.example'] });
  const console = testConsole(gate);
  return { gate, clock, console, other: other.id };
}

const create = (gate: TestConsole['gate'], partnerId: string, mode: 'test' | 'live' = 'test') =>
  gate.sessions.create({ partnerId, mode }, SESSION);

describe('the stream of changes', () => {
  it('names the topics that changed, and nothing else, as soon as this process commits', async () => {
    const { gate, console } = await twoPartners();
    const { taken, answer } = await opened(console, await signedIn(console, TEST_PARTNER.id));
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    await create(gate, TEST_PARTNER.id);
    expect(await taken()).toContain('sessions');
    await pass(1_000);
    await gate.admin.issueKey(TEST_PARTNER.id, { mode: 'test', type: 'secret' });
    expect(await taken()).toEqual(['settings']);
  });

  it('merges the changes of a second, and those that a reader has not taken, into one message', async () => {
    const { gate, console } = await twoPartners();
    const answer = await send(console, '/stream', { cookie: await signedIn(console, TEST_PARTNER.id) });
    for (let count = 0; count < 50; count += 1) {
      await create(gate, TEST_PARTNER.id);
      await pass(2_000);
    }
    const reader = answer.body?.getReader();
    const chunks: string[] = [];
    for (;;) {
      const read = await Promise.race([reader?.read(), settled().then(() => null)]);
      if (read === null || read?.value === undefined) break;
      chunks.push(new TextDecoder().decode(read.value));
    }
    expect(chunks.filter((text) => text.includes('changed')).length).toBeLessThanOrEqual(2);
  });

  it('of a partner in one mode has no hints about other partners or the other mode', async () => {
    const { gate, console, other } = await twoPartners();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(TEST_PARTNER.id, other), fc.constantFrom('test', 'live'), fc.nat(3)), {
          minLength: 1,
          maxLength: 6,
        }),
        async (steps) => {
          const own = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
          const { taken, leave } = await opened(console, await signedIn(console, own.partnerId));
          await pass(5_000);
          await taken();
          for (const [partnerId, mode, kind] of steps) {
            const scope = { partnerId, mode } as const;
            if (kind === 0) await create(gate, partnerId, scope.mode);
            if (kind === 1) await gate.admin.issueKey(partnerId, { mode: scope.mode, type: 'secret' });
            if (kind === 2)
              await gate.admin.setEndpoint(scope, {
                url: 'https://shop.example/hook',
                secret: 'whsec_0123456789abcdef0123',
              });
            if (kind === 3) await gate.webhooks.test(scope);
          }
          await gate.runDue();
          await pass(5_000);
          const seen = await taken();
          await leave();
          // A partner as a whole belongs to both of its modes; these steps change no partner.
          const isOwn = steps.some(([partnerId, mode]) => partnerId === own.partnerId && mode === own.mode);
          if (!isOwn) expect([steps, seen]).toEqual([steps, []]);
        },
      ),
      { numRuns: runs(10, 60) },
    );
  });

  it('requires a session, and access to the partner and mode', async () => {
    const { console, other } = await twoPartners();
    expect((await ask(console, '/stream')).status).toBe(401);
    const cookie = await signedIn(console, TEST_PARTNER.id);
    for (const query of [`?partner=${other}`, '?mode=live', `?partner=${other}&mode=test`])
      expect([query, (await ask(console, `/stream${query}`, { cookie })).status]).toEqual([query, 404]);
    const operator = await signedIn(console, null);
    expect((await ask(console, `/stream?partner=${other}&mode=live`, { cookie: operator })).status).toBe(200);
    expect((await ask(console, '/stream?partner=unknown&mode=live', { cookie: operator })).status).toBe(404);
    expect((await ask(console, '/stream?mode=live', { cookie: operator })).status).toBe(400);
  });

  it('of the installation sends hints to operators of all partners only', async () => {
    const { gate } = await createTestGate();
    const other = await gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
    const partners = { all: 'all', some: [TEST_PARTNER.id] } as const;
    const console = testConsole(gate, {
      authorize: (request) => {
        const who = request.headers.get('x-who') as keyof typeof partners;
        return { actor: who, roles: ['viewer'], partners: partners[who] };
      },
    });
    const [all, some] = [
      await opened(console, '', '', { 'x-who': 'all' }),
      await opened(console, '', '', { 'x-who': 'some' }),
    ];
    await gate.admin.suspendPartner(other.id);
    expect(await all.taken()).toEqual(['partners']);
    expect(await some.taken()).toEqual([]);
  });

  it('ends as soon as its session is revoked or signed out', async () => {
    const { gate, console } = await twoPartners();
    const cookies = [await signedIn(console, TEST_PARTNER.id), await signedIn(console, TEST_PARTNER.id)];
    const streams = await Promise.all(cookies.map((cookie) => opened(console, cookie)));
    const stays = await opened(console, await signedIn(console, TEST_PARTNER.id));
    const [, first] = await gate.console.list(TEST_PARTNER.id, 'test');
    await gate.console.revoke(TEST_PARTNER.id, first?.id ?? '');
    await settled();
    const after = await Promise.all(streams.map(({ taken }) => taken()));
    expect(after.filter((one) => one === ended).length).toBe(1);
    await ask(console, '/session', { method: 'DELETE', cookie: cookies[after[0] === ended ? 1 : 0] ?? '' });
    await settled();
    expect(await Promise.all(streams.map(({ taken }) => taken()))).toEqual([ended, ended]);
    expect(await stays.taken()).not.toBe(ended);
  });

  it('ends when its session expires after eight hours, and not before', async () => {
    const { console } = await twoPartners();
    const { taken } = await opened(console, await signedIn(console, TEST_PARTNER.id));
    let openMs = 0;
    for (; openMs < 9 * HOUR; openMs += 50_000) {
      await pass(50_000);
      if ((await taken()) === ended) break;
    }
    expect(openMs).toBeGreaterThanOrEqual(8 * HOUR - 50_000);
    expect(openMs).toBeLessThanOrEqual(8 * HOUR);
  });

  it('ends within a minute after the host withdraws the access of its operator', async () => {
    const { gate } = await createTestGate();
    let isIn = true;
    const console = testConsole(gate, {
      authorize: () => (isIn ? { actor: 'olga', roles: ['viewer'], partners: 'all' } : null),
    });
    const { taken } = await opened(console, '');
    await pass(120_000);
    expect(await taken()).toEqual([]);
    isIn = false;
    await pass(60_000);
    expect(await taken()).toBe(ended);
  });

  it('too_many_streams: a ninth stream of one session, until one of them ends', async () => {
    const { console } = await twoPartners();
    const cookie = await signedIn(console, TEST_PARTNER.id);
    const [one] = await Promise.all(Array.from({ length: 8 }, () => opened(console, cookie)));
    const refused = await ask(console, '/stream', { cookie });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams' });
    expect((await ask(console, '/stream', { cookie: await signedIn(console, TEST_PARTNER.id) })).status).toBe(200);
    await one?.leave();
    expect((await ask(console, '/stream', { cookie })).status).toBe(200);
  });

  it('too_many_streams: more than 1,000 streams of one process, until one of them ends', async () => {
    const { gate } = await createTestGate();
    const console = testConsole(gate, {
      authorize: (request) => ({ actor: request.headers.get('x-who') ?? '', roles: ['viewer'], partners: 'all' }),
    });
    const open = (who: number) => send(console, '/stream', { headers: { 'x-who': `operator ${who}` } });
    const streams: Response[] = [];
    for (let count = 0; count < 1_000; count += 1) streams.push(await open(Math.floor(count / 8)));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await open(1_000);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams' });
    await streams.pop()?.body?.cancel();
    streams.push(await open(1_000));
    expect(streams.at(-1)?.status).toBe(200);
    for (const { body } of streams) await body?.cancel();
  });

  it('sends a heartbeat every 25 seconds, and ends when the reader misses three', async () => {
    const { console } = await twoPartners();
    const cookie = await signedIn(console, TEST_PARTNER.id);
    const reader = (await send(console, '/stream', { cookie })).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const next = reader?.read();
    await pass(25_000);
    expect(new TextDecoder().decode((await next)?.value)).toBe(': \n\n');
    await pass(5 * 25_000);
    await reader?.read();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('answers HEAD without a stream', async () => {
    const { console } = await twoPartners();
    const cookie = await signedIn(console, TEST_PARTNER.id);
    for (let count = 0; count < 20; count += 1) {
      const answer = await console.handle(
        new Request('https://console.example/console/v1/stream', { method: 'HEAD', headers: { cookie } }),
      );
      expect([answer.status, answer.body]).toEqual([200, null]);
    }
  });

  it('over Node is sent immediately, and released when the client closes its connection', async () => {
    const { gate } = await createTestGate();
    const options = { gate, authorize: () => null, origin: 'http://localhost' };
    const server = createServer(consoleListener(options)).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code } = await gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const origin = `http://localhost:${port}`;
    const entered = await fetch(`${origin}/console/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ code }),
    });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (let count = 0; count < 12; count += 1) {
      const client = httpRequest(`${origin}/console/v1/stream`, { headers: { cookie } }).end();
      const [answer] = (await once(client, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      expect(String(((await once(answer, 'data')) as [Buffer])[0])).toBe(': \n\n');
      client.destroy();
      await once(client, 'close');
      await settled();
    }
    server.close();
    server.closeAllConnections();
  });
});
