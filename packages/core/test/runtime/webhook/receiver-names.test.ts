import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stopwatch } from '../../../../../tests/services/stopwatch.js';
import type { WebhookRequest, WebhookSender } from '../../../src/ports/index.js';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '../../../src/runtime/index.js';
import { nameServer } from './name-server.js';
import { httpReceiver, type Receiver } from './receiver.js';

function newSender(server: string, options: Partial<UndiciWebhookSenderOptions> = {}): WebhookSender {
  const sender = undiciWebhookSender({ allowPrivate: true, resolver: { servers: [server] }, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

function post(host: string, { port }: Pick<Receiver, 'port'>, timeoutMs = 5_000): WebhookRequest {
  return { partnerId: 'p1', url: `http://${host}:${port}/`, headers: {}, body: '{}', timeoutMs };
}

/** Closes every connection with its response, so that every attempt looks the name up. */
function forgetful(): Promise<Receiver> {
  return httpReceiver((_request, response) => response.writeHead(200, { connection: 'close' }).end());
}

const NOWHERE = { port: 9 };

describe('the host name of a receiver', () => {
  it('is resolved by the name server', async () => {
    const [receiver, server] = [await forgetful(), await nameServer(() => ['127.0.0.1'])];
    expect(await newSender(server.address).send(post('hooks.example', receiver))).toMatchObject({
      responseStatus: 200,
      error: null,
    });
    expect(server.asked).toEqual(['hooks.example']);
  });

  it('is tried at its next address when the first refuses', async () => {
    const [receiver, server] = [await forgetful(), await nameServer(() => ['127.0.0.2', '127.0.0.1'])];
    expect((await newSender(server.address).send(post('hooks.example', receiver))).error).toBeNull();
  });

  it('is awaited if its name server is slow', async () => {
    const receiver = await forgetful();
    const server = await nameServer(() => new Promise((resolve) => setTimeout(() => resolve(['127.0.0.1']), 400)));
    expect((await newSender(server.address).send(post('hooks.example', receiver))).error).toBeNull();
  });

  it('is looked up as written, without search domains', async () => {
    const server = await nameServer(() => null);
    expect((await newSender(server.address).send(post('hooks', NOWHERE))).error).toBe('dns');
    expect(server.asked).toEqual(['hooks']);
  });

  it('that does not exist is a dns error, and is not looked up again immediately', async () => {
    const server = await nameServer(() => null);
    const sender = newSender(server.address);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await sender.send(post('gone.example', NOWHERE))).error).toBe('dns');
    expect(server.asked).toEqual(['gone.example']);
  });

  it('that has no address is a dns error', async () => {
    const server = await nameServer(() => []);
    expect((await newSender(server.address).send(post('bare.example', NOWHERE))).error).toBe('dns');
  });

  it('whose name server is silent is a dns error, both before the attempt times out and at its end', async () => {
    const server = await nameServer(() => 'silence');
    const sender = newSender(server.address, { lookups: { timeoutMs: 300 } });
    const elapsed = stopwatch();
    expect((await sender.send(post('dead.example', NOWHERE, 30_000))).error).toBe('dns');
    expect(elapsed()).toBeLessThan(5_000);
    expect((await newSender(server.address).send(post('dead.example', NOWHERE, 200))).error).toBe('dns');
  });

  it('is looked up once for all concurrent attempts', async () => {
    const receiver = await forgetful();
    const server = await nameServer(() => new Promise((resolve) => setTimeout(() => resolve(['127.0.0.1']), 200)));
    const sender = newSender(server.address);
    const answers = await Promise.all(Array.from({ length: 50 }, () => sender.send(post('hooks.example', receiver))));
    expect(new Set(answers.map(({ responseStatus }) => responseStatus))).toEqual(new Set([200]));
    expect(server.asked).toEqual(['hooks.example']);
  });
});

describe('a name that changes its address', () => {
  it('is looked up again after a moment, whatever its server allows', async () => {
    const receiver = await forgetful();
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    const server = await nameServer(() => answers.at(server.asked.length - 1) ?? null);
    const sender = newSender(server.address, { lookups: { keptMs: 20 } });
    expect((await sender.send(post('hooks.example', receiver))).error).toBe('connection_refused');
    await expect.poll(async () => (await sender.send(post('hooks.example', receiver))).error).toBeNull();
    expect(server.asked).toHaveLength(2);
  });

  it('to a private one is blocked at the next connection, and none is made', async () => {
    const receiver = await forgetful();
    const answers = [['198.51.100.7', '93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '127.0.0.1']];
    const server = await nameServer(() => answers.at(server.asked.length - 1) ?? null);
    const sender = newSender(server.address, {
      allowPrivate: false,
      lookups: { keptMs: 0, failureKeptMs: 0 },
    });
    for (let attempt = 0; attempt < answers.length; attempt += 1) {
      await expect
        .poll(async () => [(await sender.send(post('rebound.example', receiver))).error, server.asked.length])
        .toEqual(['blocked_destination', attempt + 1]);
    }
    expect(receiver.connections()).toBe(0);
  });

  it('is checked at every connection, even if its answer is cached', async () => {
    const [receiver, server] = [await forgetful(), await nameServer(() => ['127.0.0.1'])];
    const sender = newSender(server.address, { allowPrivate: false });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await sender.send(post('inside.example', receiver))).error).toBe('blocked_destination');
    }
    expect([server.asked.length, receiver.connections()]).toEqual([1, 0]);
  });
});

describe('the hosts file', () => {
  function hostsFile(text: string): string {
    const path = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'hosts');
    writeFileSync(path, text);
    return path;
  }

  it('takes precedence over name servers, and its changes take effect', async () => {
    const [receiver, server] = [await forgetful(), await nameServer(() => null)];
    const path = hostsFile('127.0.0.1 shop.internal Alias.Internal # here\n\nnonsense x\n');
    const sender = newSender(server.address, { resolver: { servers: [server.address], hostsFile: path } });
    expect((await sender.send(post('shop.internal', receiver))).error).toBeNull();
    expect((await sender.send(post('alias.internal.', receiver))).error).toBeNull();
    expect((await sender.send(post('here', receiver))).error).toBe('dns');
    writeFileSync(path, '127.0.0.1 later.internal\n');
    utimesSync(path, 1, 1);
    expect((await sender.send(post('later.internal', receiver))).error).toBeNull();
    expect(server.asked).toEqual(['here']);
  });

  it('is checked like any answer', async () => {
    const receiver = await forgetful();
    const resolver = { servers: ['127.0.0.1:9'], hostsFile: hostsFile('127.0.0.1 shop.internal') };
    const sender = newSender('', { allowPrivate: false, resolver });
    expect((await sender.send(post('shop.internal', receiver))).error).toBe('blocked_destination');
  });

  it('may be missing; localhost still resolves to this machine', async () => {
    const [receiver, server] = [await forgetful(), await nameServer(() => null)];
    const sender = newSender(server.address, { resolver: { servers: [server.address], hostsFile: '/nowhere/hosts' } });
    expect((await sender.send(post('localhost', receiver))).error).toBeNull();
    expect((await sender.send(post('shop.localhost', receiver))).error).toBeNull();
    expect(server.asked).toEqual([]);
  });
});
