import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, readAnswer } from '../contract/answer.js';
import { CREATE_BODY, freshKey, SECRET } from '../contract/calls.js';
import { inServer, socketLaw, type ServedWorld } from './in-server.js';
import { head } from './raw-connection.js';
import type { SocketSubject } from './socket-subject.js';

const TOPIC = 'HTTP transport: connections';

const HEADERS = [`Authorization: Bearer ${SECRET}`, 'Content-Type: application/json'];

export const connectionLaws: readonly Law<SocketSubject>[] = [
  socketLaw(TOPIC, 'answers pipelined requests in the order they were sent', async ({ t, connect }) => {
    const connection = await connect();
    const ids: string[] = [];
    for (let nth = 0; nth < 8; nth += 1) ids.push((await t.createSession()).id);
    connection.write(ids.map((id) => head('GET', `/v1/gate_sessions/${id}`, HEADERS) + head('GET', '/health')).join(''));
    for (const id of ids) {
      assert.equal(readAnswer(await connection.read()).json['id'], id);
      assert.equal(readAnswer(await connection.read()).json['object'], 'health');
    }
  }),
  socketLaw(TOPIC, 'refuses an idempotency key that is sent twice', async ({ connect }) => {
    const connection = await connect();
    const body = JSON.stringify(CREATE_BODY);
    const keys = [`Idempotency-Key: ${freshKey()}`, `idempotency-key: ${freshKey()}`];
    connection.write(head('POST', '/v1/gate_sessions', [...HEADERS, ...keys, `Content-Length: ${body.length}`]), body);
    expectRefusal(readAnswer(await connection.read()), 400, 'idempotency_key_invalid');
  }),
  socketLaw(TOPIC, 'forgets a request whose client left in the middle of its body', async (world) => {
    for (const framing of ['Content-Length: 60', 'Transfer-Encoding: chunked', 'Content-Length: 9000000']) {
      const connection = await world.connect();
      connection.write(head('POST', '/v1/gate_sessions', [...HEADERS, `Idempotency-Key: ${freshKey()}`, framing]), '5\r\n{"amo');
      await untilConnected(world, 1);
      connection.leave();
      await untilConnected(world, 0);
    }
    expectStatus(readAnswer(await world.server.send({ method: 'GET', path: '/health' })), 200);
  }),
  {
    topic: TOPIC,
    title: 'survives a client that leaves while it is being answered',
    async run(subject) {
      const { arrived, release, held } = holdFirst();
      await inServer(subject, (gate) => ({ ...gate, handle: (mode, request) => held(() => gate.handle(mode, request)) }), async (world) => {
        const connection = await world.connect();
        connection.write(head('GET', '/health'));
        await arrived;
        connection.leave();
        await untilConnected(world, 0);
        release();
        expectStatus(readAnswer(await world.server.send({ method: 'GET', path: '/health' })), 200);
      });
    },
  },
  socketLaw(TOPIC, 'answers bytes that are no request with a bare 4xx and closes', async ({ connect }) => {
    for (const bytes of ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: one\r\n\r\n', 'NO SUCH THING\r\n\r\n', oversized()]) {
      const connection = await connect();
      const answer = await connection.write(bytes).read();
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`);
      assert.deepEqual([answer.headers['connection'], answer.body, connection.rest], ['close', '', '']);
    }
  }),
];

function oversized(): string {
  return head('GET', '/health', [`X-Filler: ${'a'.repeat(100_000)}`]);
}

/** Lets the event loop turn until the server holds so many connections. The runner's time-out is the limit. */
async function untilConnected({ server }: ServedWorld, count: number): Promise<void> {
  while ((await server.connections()) !== count) await turn();
}

/** Holds the first call back until it is released. */
function holdFirst() {
  let arrive = (): void => undefined;
  let release = (): void => undefined;
  let first = true;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (first) {
      first = false;
      arrive();
      await released;
    }
    return call();
  };
  return { arrived, release: () => release(), held };
}
