import assert from 'node:assert/strict';
import type { HttpRequest } from '@gateramp/core/http';
import type { Law } from '../../law.js';
import { inServer } from './in-server.js';
import { head } from './raw-connection.js';
import type { SocketSubject } from './socket-subject.js';

const TOPIC = 'HTTP transport: what the gate is given';

export const translationLaws: readonly Law<SocketSubject>[] = [
  translation('the path and the query as sent, neither decoded nor normalised', async (ask) => {
    for (const path of ['/v1/a%2Fb/%41', '/v1/../x', '/v1/./x', '/v1//x', '/a;b=c', '/a+b', '/~%7e', '/v1/x/']) {
      const { path: given, query } = await ask(head('GET', `${path}?a=%20+&b[]=1&=?&%zz`));
      assert.deepEqual({ given, query }, { given: path, query: 'a=%20+&b[]=1&=?&%zz' });
    }
    assert.equal((await ask(head('GET', '/v1/x?'))).query, '');
    assert.equal((await ask(head('GET', '/v1/x'))).query, '');
  }),
  translation('only the path of a target that names a host', async (ask) => {
    const { path, query } = await ask(head('GET', 'http://elsewhere.example/v1/x?a=1'));
    assert.deepEqual({ path, query }, { path: '/v1/x', query: 'a=1' });
  }),
  translation('the method as sent', async (ask) => {
    for (const method of [
      'GET',
      'POST',
      'OPTIONS',
      'PUT',
      'PATCH',
      'DELETE',
      'TRACE',
      'PROPFIND',
      'LOCK',
      'M-SEARCH',
    ]) {
      assert.equal((await ask(head(method, '/v1/x'))).method, method);
    }
  }),
  translation('header names in lower case and values untouched', async (ask) => {
    const { headers } = await ask(head('GET', '/v1/x', ['X-Embed-TOKEN: a  B=,c', 'ORIGIN: null']));
    assert.deepEqual([headers['x-embed-token'], headers['origin']], ['a  B=,c', 'null']);
  }),
  translation('the address of the connection, not one that a header claims', async (ask) => {
    const { clientIp } = await ask(
      head('GET', '/v1/x', ['X-Forwarded-For: 198.51.100.1', 'Forwarded: for=198.51.100.1']),
    );
    assert.equal(clientIp, '127.0.0.1');
  }),
  translation('the bytes of a body, untouched', async (ask) => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    for (const type of [
      'application/json',
      'application/octet-stream',
      'text/plain; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      const { body } = await ask(head('POST', '/v1/x', [`Content-Type: ${type}`, 'Content-Length: 256']), bytes);
      assert.ok(body.kind === 'bytes');
      assert.deepEqual(Buffer.from(body.bytes), bytes);
    }
  }),
  translation('an empty body where none was sent', async (ask) => {
    for (const headers of [[], ['Content-Length: 0'], ['Content-Length: 0', 'Content-Type: application/json']]) {
      const { body } = await ask(head('POST', '/v1/x', headers));
      assert.ok(body.kind === 'bytes' && body.bytes.byteLength === 0);
    }
  }),
];

type Ask = (...parts: readonly (string | Uint8Array)[]) => Promise<HttpRequest>;

/** A law about the message that the gate receives for a request on the wire. */
function translation(title: string, run: (ask: Ask) => Promise<void>): Law<SocketSubject> {
  return {
    topic: TOPIC,
    title,
    async run(subject) {
      const seen: HttpRequest[] = [];
      await inServer(
        subject,
        (gate) => ({ ...gate, handle: (mode, request) => (seen.push(request), gate.handle(mode, request)) }),
        async ({ connect }) => {
          await run(async (...parts) => {
            const connection = await connect();
            await connection
              .write(...parts)
              .read()
              .finally(() => connection.leave());
            const request = seen.pop();
            assert.ok(request !== undefined, 'the gate was asked');
            return request;
          });
        },
      );
    },
  };
}
