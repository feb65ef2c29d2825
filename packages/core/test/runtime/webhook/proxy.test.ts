import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tunnelConnector } from '../../../src/runtime/webhook/destination-guard.js';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '../../../src/runtime/index.js';
import { httpReceiver, tcpReceiver } from './receiver.js';

/** A real proxy, which refuses with `status`, and connects every `CONNECT` to this machine where that is null. */
async function startProxy(status: number | null = null) {
  const asked: { readonly authority: string; readonly user: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const authority = request.url ?? '';
    asked.push({ authority, user: request.headers['proxy-authorization'] });
    if (status !== null) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const through = connect(Number(authority.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    through.on('error', () => socket.destroy());
    socket.on('error', () => through.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a pipe's name
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { asked, address: `http://127.0.0.1:${port}`, port };
}

async function sent(url: string, options: Partial<UndiciWebhookSenderOptions>) {
  const sender = undiciWebhookSender({ allowPrivate: true, ...options });
  onTestFinished(() => sender.close());
  return sender.send({ partnerId: 'p1', url, headers: { 'Gate-Signature': 't=1' }, body: '{}', timeoutMs: 10_000 });
}

describe('through a proxy', () => {
  it.each(['http', 'https'])('an %s delivery is a CONNECT to the address that was checked', async (scheme) => {
    const proxy = await startProxy();
    const seen: string[] = [];
    const receiver = await tcpReceiver((socket, bytes) => {
      seen.push(bytes.toString('latin1'));
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const answer = await sent(`${scheme}://hooks.example:${receiver.port}/in`, {
      allowPrivate: false,
      proxy: proxy.address.replace('//', '//gate:s%40fe@'),
      resolve: async () => ['93.184.215.14'],
    });
    expect(proxy.asked).toEqual([
      { authority: `93.184.215.14:${receiver.port}`, user: `Basic ${Buffer.from('gate:s@fe').toString('base64')}` },
    ]);
    // The name is still in `Host`, and in the handshake of TLS.
    expect(seen[0]).toContain('hooks.example');
    expect(scheme === 'http' ? answer.responseStatus : answer.error).toBe(scheme === 'http' ? 204 : 'tls');
  });

  it('connections are kept and used again', async () => {
    const proxy = await startProxy();
    const receiver = await httpReceiver((_request, response) => response.end());
    const sender = undiciWebhookSender({ allowPrivate: true, proxy: proxy.address });
    onTestFinished(() => sender.close());
    for (let n = 0; n < 10; n += 1) {
      const request = { partnerId: 'p1', url: receiver.url, headers: {}, body: '{}', timeoutMs: 10_000 };
      expect((await sender.send(request)).responseStatus).toBe(200);
    }
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  it('no private destination is asked for, neither by name nor by address', async () => {
    const proxy = await startProxy();
    const rules = { allowPrivate: false, proxy: proxy.address, resolve: async () => ['93.184.215.14', '10.0.0.1'] };
    for (const host of ['hooks.example', '127.0.0.1', '[::1]', '169.254.169.254'])
      expect([host, (await sent(`http://${host}/`, rules)).error]).toEqual([host, 'blocked_destination']);
    expect(proxy.asked).toEqual([]);
  });

  it('the next address is tried where the proxy does not reach the first', async () => {
    const proxy = await startProxy(502);
    const { error } = await sent('http://hooks.example/', {
      proxy: proxy.address,
      resolve: async () => ['::1', '8.8.8.8'],
    });
    expect(error).toBe('connection_refused');
    expect(proxy.asked.map(({ authority }) => authority)).toEqual(['[::1]:80', '8.8.8.8:80']);
  });

  it.each([403, 407, 500])('a refusal of the proxy, %i, is its own error', async (status) => {
    const proxy = await startProxy(status);
    expect((await sent('https://127.0.0.1/', { proxy: proxy.address })).error).toBe('proxy');
    expect(proxy.asked).toEqual([{ authority: '127.0.0.1:443', user: undefined }]);
  });

  it('a proxy that is down or no proxy is its own error', async () => {
    const closed = await tcpReceiver(() => undefined);
    await closed.close();
    const odd = await tcpReceiver((socket) => socket.end('SSH-2.0-x\r\n'));
    for (const { port } of [closed, odd])
      expect((await sent('http://127.0.0.1/', { proxy: `http://127.0.0.1:${port}` })).error).toBe('proxy');
  });

  it('a proxy that never answers ends with the attempt', async () => {
    const silent = await tcpReceiver(() => undefined);
    const sender = undiciWebhookSender({ allowPrivate: true, proxy: `http://127.0.0.1:${silent.port}` });
    onTestFinished(() => sender.close());
    const request = { partnerId: 'p1', url: 'http://127.0.0.1/', headers: {}, body: '{}', timeoutMs: 150 };
    expect((await sender.send(request)).error).toBe('timeout');
  });

  it('a proxy that never answers is asked once, however many addresses a receiver has', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const silent = await tcpReceiver(() => undefined);
    const resolve = async () => ['8.8.8.8', '8.8.4.4', '1.1.1.1'];
    const connect = tunnelConnector(`http://127.0.0.1:${silent.port}`, { allowPrivate: false, resolve });
    const failed = new Promise((ended) =>
      connect({ hostname: 'hooks.example', protocol: 'http:', port: '' }, (...[error]) => ended(error)),
    );
    while (silent.connections() === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await failed).toMatchObject({ deliveryError: 'timeout' });
    expect(silent.connections()).toBe(1);
  });

  it.each(['proxy:3128', 'socks5://proxy:1080', 'http://proxy/path', 'http://a:b%ff@proxy', ''])(
    '%j is refused as its address, without repeating it',
    (proxy) => {
      expect(() => undiciWebhookSender({ allowPrivate: true, proxy })).toThrow(/^The proxy must/);
    },
  );
});
