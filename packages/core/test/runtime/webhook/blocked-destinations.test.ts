import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedConnector } from '../../../src/runtime/webhook/destination-guard.js';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '../../../src/runtime/index.js';
import { httpReceiver } from './receiver.js';

async function errorOf(url: string, options: Partial<UndiciWebhookSenderOptions> = {}): Promise<string | null> {
  const sender = undiciWebhookSender({ allowPrivate: false, ...options });
  onTestFinished(() => sender.close());
  return (await sender.send({ partnerId: 'p1', url, headers: {}, body: '{}', timeoutMs: 2_000 })).error;
}

describe('a private destination', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '１２７.０.０.１',
    '127.0.0.1.',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    'localhost',
  ])('is blocked when loopback is spelled %s, and gets no connection', async (host) => {
    const receiver = await httpReceiver((_request, response) => response.end());
    expect(await errorOf(`http://${host}:${receiver.port}/`)).toBe('blocked_destination');
    expect(receiver.connections()).toBe(0);
  });

  it('is blocked even if the name also has a public address', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const url = `http://hooks.example:${receiver.port}/`;
    expect(await errorOf(url, { resolve: async () => ['93.184.215.14', '127.0.0.1'] })).toBe('blocked_destination');
    expect(await errorOf(url, { resolve: async () => ['127.0.0.1', '93.184.215.14'] })).toBe('blocked_destination');
    expect(await errorOf(url, { resolve: async () => ['::ffff:127.0.0.1'] })).toBe('blocked_destination');
    expect(receiver.connections()).toBe(0);
  });

  it('is never reached through a second DNS answer: the socket connects to the checked address', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const answers = [['127.0.0.1'], ['127.0.0.9']];
    const url = `http://hooks.example:${receiver.port}/`;
    expect(await errorOf(url, { allowPrivate: true, resolve: async () => answers.shift() ?? [] })).toBeNull();
    expect(answers).toEqual([['127.0.0.9']]);
  });

  it('is blocked by the check of the connected socket, when nothing was looked up', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const connect = guardedConnector({
      allowPrivate: false,
      resolve: () => Promise.reject(new Error('Nothing is looked up.')),
    });
    const error = await new Promise((resolve) =>
      connect({ hostname: '127.0.0.1', protocol: 'http:', port: String(receiver.port) }, (...[failed]) =>
        resolve(failed),
      ),
    );
    expect(error).toMatchObject({ deliveryError: 'blocked_destination' });
  });

  it('is reached if private targets are allowed, by name and by address', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    for (const host of ['127.0.0.1', '2130706433', 'localhost']) {
      expect(await errorOf(`http://${host}:${receiver.port}/`, { allowPrivate: true })).toBeNull();
    }
  });
});

describe.each([true, false])('a URL (private targets allowed: %s)', (allowPrivate) => {
  it.each([
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://user@hooks.example/',
    'http://:secret@hooks.example/',
    'hooks.example',
    'http://',
    '',
  ])('like "%s" is blocked', async (url) => {
    expect(await errorOf(url, { allowPrivate, resolve: async () => ['93.184.215.14'] })).toBe('blocked_destination');
  });
});
