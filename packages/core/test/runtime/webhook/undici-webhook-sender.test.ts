import { describe, expect, it, onTestFinished } from 'vitest';
import { stopwatch } from '../../../../../tests/services/stopwatch.js';
import type { WebhookSender } from '../../../src/ports/index.js';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '../../../src/runtime/index.js';
import { httpReceiver, tcpReceiver } from './receiver.js';

const LIMIT = 150;

function newSender(options: Partial<UndiciWebhookSenderOptions> = {}): WebhookSender {
  const sender = undiciWebhookSender({ allowPrivate: true, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** Only tests of the time limit have a short one: a pause of the machine must not end an attempt. */
const post = (url: string, timeoutMs = 10_000) => ({
  partnerId: 'p1',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":"é"}',
  timeoutMs,
});

/** The answer, and how long it took. */
async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const elapsed = stopwatch();
  return { answer: await work, ms: elapsed() };
}

describe('a request', () => {
  it("is one POST with exactly the body's bytes and the given headers", async () => {
    const seen: unknown[] = [];
    const receiver = await httpReceiver((request, response, body) => {
      seen.push([
        request.method,
        request.url,
        request.headers['gate-signature'],
        request.headers['user-agent'],
        body.toString(),
      ]);
      response.writeHead(204).end();
    });
    const headers = { 'Gate-Signature': 't=1,v1=aa', 'User-Agent': 'svc-webhooks/1.0' };
    const answer = await newSender().send({ ...post(`${receiver.url}?a=b#c`), headers });
    expect(answer).toEqual({ responseStatus: 204, responseBody: '', error: null });
    expect(seen).toEqual([['POST', '/hooks?a=b', 't=1,v1=aa', 'svc-webhooks/1.0', '{"a":"é"}']]);
  });

  it('goes to the checked address with Host unchanged', async () => {
    const receiver = await httpReceiver((request, response) => response.end(request.headers.host));
    const sender = newSender({ resolve: async () => ['127.0.0.1'] });
    const { responseBody } = await sender.send(post(`http://hooks.example:${receiver.port}/`));
    expect(responseBody).toBe(`hooks.example:${receiver.port}`);
  });

  it('has the host name in its TLS handshake, not the address', async () => {
    const hellos: Buffer[] = [];
    const receiver = await tcpReceiver((socket, bytes) => {
      hellos.push(bytes);
      socket.destroy();
    });
    const sender = newSender({ resolve: async () => ['127.0.0.1'] });
    await sender.send(post(`https://hooks.example:${receiver.port}/`));
    expect(Buffer.concat(hellos).includes('hooks.example')).toBe(true);
  });

  it('tries the next address when the first refuses', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const sender = newSender({ resolve: async () => ['127.0.0.2', '127.0.0.1'] });
    expect((await sender.send(post(`http://hooks.example:${receiver.port}/`))).error).toBeNull();
  });

  it('reuses connections, without further look-ups', async () => {
    let lookups = 0;
    const receiver = await httpReceiver((_request, response) => response.end('x'.repeat(10_000)));
    const sender = newSender({
      resolve: async () => {
        lookups += 1;
        return ['127.0.0.1'];
      },
    });
    for (let n = 0; n < 20; n += 1)
      expect((await sender.send(post(`http://hooks.example:${receiver.port}/`))).responseStatus).toBe(200);
    // Two at most: the pool opens a second one if an answer arrives just before its connection is free.
    expect(receiver.connections()).toBeLessThanOrEqual(2);
    expect(lookups).toBe(1);
  });
});

describe('a response', () => {
  it.each([200, 201, 299, 400, 410, 500, 503])('is the status %i with no error', async (status) => {
    const receiver = await httpReceiver((_request, response) => response.writeHead(status).end('said'));
    expect(await newSender().send(post(receiver.url))).toEqual({
      responseStatus: status,
      responseBody: 'said',
      error: null,
    });
  });

  it.each([301, 302, 303, 307, 308])(
    'is redirect_not_followed after %i, and no other host is called',
    async (status) => {
      const elsewhere = await httpReceiver((_request, response) => response.end());
      const receiver = await httpReceiver((_request, response) =>
        response.writeHead(status, { location: elsewhere.url }).end(),
      );
      const answer = await newSender().send(post(receiver.url));
      expect(answer).toEqual({ responseStatus: status, responseBody: '', error: 'redirect_not_followed' });
      expect(elsewhere.connections()).toBe(0);
    },
  );

  it('has 1 KiB of its body stored', async () => {
    const receiver = await httpReceiver((_request, response) => response.end('é'.repeat(5_000)));
    expect((await newSender().send(post(receiver.url))).responseBody).toBe('é'.repeat(512));
  });

  it('is stored without NUL and invalid characters', async () => {
    const receiver = await httpReceiver((_request, response) =>
      response.end(Buffer.from([0x61, 0x00, 0xed, 0xa0, 0x80, 0x62])),
    );
    const { responseBody } = await newSender().send(post(receiver.url));
    expect(responseBody).toBe('a\ufffd\ufffd\ufffdb');
  });
});

describe('the time limit', () => {
  it('ends an attempt that is never answered', async () => {
    const receiver = await httpReceiver(() => undefined);
    const { answer, ms } = await timed(newSender().send(post(receiver.url, LIMIT)));
    expect(answer).toEqual({ responseStatus: null, responseBody: null, error: 'timeout' });
    expect(ms).toBeLessThan(LIMIT + 500);
  });

  it('covers the look-up', async () => {
    const sender = newSender({ resolve: () => new Promise(() => undefined) });
    const { answer, ms } = await timed(sender.send(post('http://hooks.example/', LIMIT)));
    expect(answer.error).toBe('dns');
    expect(ms).toBeLessThan(LIMIT + 500);
  });

  it('covers headers that arrive slowly', async () => {
    const receiver = await tcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('X-A: b\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect((await newSender().send(post(receiver.url, LIMIT))).error).toBe('timeout');
  });

  it('covers a receiver that sends 100 Continue forever', async () => {
    const receiver = await tcpReceiver((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect((await newSender().send(post(receiver.url, LIMIT))).error).toBe('timeout');
  });

  it('prevents sending after it was reached while connecting', async () => {
    let arrived = 0;
    const receiver = await httpReceiver((_request, response) => {
      arrived += 1;
      response.end();
    });
    let answerLookup = (_addresses: string[]): void => undefined;
    const lookups = [new Promise<string[]>((resolve) => (answerLookup = resolve))];
    const sender = newSender({ resolve: () => lookups.shift() ?? Promise.resolve(['127.0.0.1']) });
    const url = `http://hooks.example:${receiver.port}/`;
    // The second keeps the shared look-up going.
    const second = sender.send(post(url, 5_000));
    expect((await sender.send(post(url, LIMIT))).error).toBe('dns');
    answerLookup(['127.0.0.1']);
    expect((await second).responseStatus).toBe(200);
    await expect.poll(() => receiver.connections()).toBe(2);
    // By the end of another attempt the first would have been sent.
    expect((await sender.send(post(url))).responseStatus).toBe(200);
    expect(arrived).toBe(2);
  });
});

describe('a 2xx whose body', () => {
  it('takes too long is acknowledged, and the body is cut off', async () => {
    let closed = false;
    const receiver = await httpReceiver((_request, response) => {
      response.write('begun');
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        closed = true;
        clearInterval(drip);
      });
    });
    const { answer, ms } = await timed(newSender().send(post(receiver.url, 500)));
    expect(answer).toMatchObject({ responseStatus: 200, error: null });
    expect(answer.responseBody).toMatch(/^begun\.*$/);
    // Sooner than a body is cut off where the attempt has more time.
    expect(ms).toBeLessThan(950);
    await expect.poll(() => closed).toBe(true);
  });

  it('takes long does not extend the attempt to the whole limit', async () => {
    const receiver = await httpReceiver((_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { answer, ms } = await timed(newSender().send(post(receiver.url, 15_000)));
    expect(answer).toMatchObject({ responseStatus: 200, error: null });
    expect(ms).toBeLessThan(4_000);
  });

  it('is interrupted is acknowledged', async () => {
    const receiver = await tcpReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'));
    expect(await newSender().send(post(receiver.url))).toMatchObject({ responseStatus: 200, error: null });
  });

  it('never ends is cut off after 64 KiB, and memory does not grow', async () => {
    let written = 0;
    let closed = false;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const receiver = await httpReceiver((_request, response) => {
      const pour = (): void => {
        do written += chunk.length;
        while (!closed && response.write(chunk));
      };
      response.on('drain', pour);
      response.on('close', () => (closed = true));
      pour();
    });
    const answer = await newSender().send(post(receiver.url, 10_000));
    expect(answer).toEqual({ responseStatus: 200, responseBody: 'x'.repeat(1024), error: null });
    await expect.poll(() => closed).toBe(true);
    // At most the content of the sockets' own buffers on both sides.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a failure', () => {
  it('to connect is connection_refused', async () => {
    const receiver = await httpReceiver(() => undefined);
    await receiver.close();
    expect((await newSender().send(post(receiver.url))).error).toBe('connection_refused');
  });

  it('of the connection is connection_reset', async () => {
    const resets = await tcpReceiver((socket) => socket.resetAndDestroy());
    const closes = await tcpReceiver((socket) => socket.end());
    expect((await newSender().send(post(resets.url))).error).toBe('connection_reset');
    expect((await newSender().send(post(closes.url))).error).toBe('connection_reset');
  });

  it('of the look-up is dns', async () => {
    const unknown = newSender({ resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) });
    const empty = newSender({ resolve: async () => [] });
    expect((await unknown.send(post('https://hooks.example/'))).error).toBe('dns');
    expect((await empty.send(post('https://hooks.example/'))).error).toBe('dns');
  });

  it('of the handshake is tls', async () => {
    const receiver = await tcpReceiver((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await newSender().send(post(receiver.url.replace('http:', 'https:')))).error).toBe('tls');
  });

  it.each([
    ['no HTTP', '+OK POP3 ready\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(2_000)}`],
    ['an answer of two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('of the answer (%s) is invalid_response', async (_name, bytes) => {
    const receiver = await tcpReceiver((socket) => socket.write(bytes));
    expect((await newSender().send(post(receiver.url))).error).toBe('invalid_response');
  });

  it('of the sender itself is also a result: nothing throws', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const answer = await newSender().send({ ...post(receiver.url), headers: { 'bad header': 'a\nb' } });
    expect(answer.error).toBe('invalid_response');
  });
});

describe('one endpoint', () => {
  it('that never answers does not delay other attempts at its origin', async () => {
    const receiver = await httpReceiver((request, response) => (request.url === '/slow' ? undefined : response.end()));
    const sender = newSender();
    const slow = Array.from({ length: 100 }, () => sender.send(post(`http://127.0.0.1:${receiver.port}/slow`, 30_000)));
    expect((await sender.send(post(receiver.url))).responseStatus).toBe(200);
    await sender.close();
    await Promise.all(slow);
  });
});

describe('close', () => {
  it('does not wait for running attempts; they and later ones end as connection_reset', async () => {
    const receiver = await httpReceiver(() => undefined);
    const sender = newSender();
    const running = sender.send(post(receiver.url, 10_000));
    await expect.poll(() => receiver.connections()).toBe(1);
    const { ms } = await timed(sender.close());
    expect(ms).toBeLessThan(1_000);
    expect((await running).error).toBe('connection_reset');
    expect((await sender.send(post(receiver.url))).error).toBe('connection_reset');
  });
});
