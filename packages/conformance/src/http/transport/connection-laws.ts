import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, readAnswer } from '../answer.js';
import { CREATE_BODY, freshKey, SECRET } from '../calls.js';
import { inServer, socketLaw, type ServedWorld } from './in-server.js';
import { head } from './raw-connection.js';
import type { SocketSubject } from './socket-subject.js';

const TOPIC = 'HTTP transport: connections';

const HEADERS = [`Authorization: Bearer ${SECRET}`, 'Content-Type: application/json'];

interface NoRequest {
  readonly bytes: string;
  readonly refusal: readonly [status: number, code: string];
}

const FILLER = 'a'.repeat(100_000);

/** Input that Node refuses before there is a request, unless it is configured otherwise. */
const NO_REQUESTS: Readonly<Record<string, NoRequest>> = {
  'a length that is not a number': {
    bytes: head('GET', '/health', ['Content-Length: one']),
    refusal: [400, 'malformed_request'],
  },
  'two lengths': {
    bytes: head('POST', '/health', ['Content-Length: 1', 'Content-Length: 2']),
    refusal: [400, 'malformed_request'],
  },
  'a length next to chunks': {
    bytes: head('POST', '/health', ['Content-Length: 1', 'Transfer-Encoding: chunked']),
    refusal: [400, 'malformed_request'],
  },
  'an invalid method': { bytes: 'NO SUCH THING\r\n\r\n', refusal: [400, 'malformed_request'] },
  'a space in a header name': { bytes: head('GET', '/health', ['X Y: z']), refusal: [400, 'malformed_request'] },
  'headers that are too large': {
    bytes: head('GET', '/health', [`X-Filler: ${FILLER}`]),
    refusal: [431, 'headers_too_large'],
  },
  'an address that is too large': { bytes: head('GET', `/health?${FILLER}`), refusal: [431, 'headers_too_large'] },
};

export const connectionLaws: readonly Law<SocketSubject>[] = [
  socketLaw(TOPIC, 'answers pipelined requests in the order they were sent', async ({ t, connect }) => {
    const connection = await connect();
    const ids: string[] = [];
    for (let nth = 0; nth < 8; nth += 1) ids.push((await t.createSession()).id);
    connection.write(
      ids.map((id) => head('GET', `/v1/gate_sessions/${id}`, HEADERS) + head('GET', '/health')).join(''),
    );
    for (const id of ids) {
      assert.equal(readAnswer(await connection.read()).json['id'], id);
      assert.equal(readAnswer(await connection.read()).json['object'], 'health');
    }
  }),
  socketLaw(
    TOPIC,
    'serves a request that names scheme and host as a proxy is sent it, and looks at neither',
    async ({ connect }) => {
      const connection = await connect();
      for (const host of ['other.example', 'other.example:99999', '[::1', 'a%20b']) {
        connection.write(head('GET', `http://${host}/health?`), head('GET', `http://${host}/v1/gate_sessions/%zz`));
        expectStatus(readAnswer(await connection.read()), 200);
        expectRefusal(readAnswer(await connection.read()), 404, 'route_not_found');
      }
    },
  ),
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
      connection.write(
        head('POST', '/v1/gate_sessions', [...HEADERS, `Idempotency-Key: ${freshKey()}`, framing]),
        '5\r\n{"amo',
      );
      await untilConnected(world, 1);
      connection.leave();
      await untilConnected(world, 0);
    }
    expectStatus(readAnswer(await world.server.send({ method: 'GET', path: '/health' })), 200);
  }),
  {
    topic: TOPIC,
    title: 'keeps serving after a client disconnects during its response',
    async run(subject) {
      const { arrived, release, held } = holdFirst();
      await inServer(
        subject,
        (gate) => ({ ...gate, handle: (mode, request) => held(() => gate.handle(mode, request)) }),
        async (world) => {
          const connection = await world.connect();
          connection.write(head('GET', '/health'));
          await arrived;
          connection.leave();
          await untilConnected(world, 0);
          release();
          expectStatus(readAnswer(await world.server.send({ method: 'GET', path: '/health' })), 200);
        },
      );
    },
  },
  ...Object.entries(NO_REQUESTS).map(([what, { bytes, refusal }]) =>
    socketLaw(TOPIC, `answers ${what} in the envelope with ${refusal.join(' ')}, and closes`, async ({ connect }) => {
      const connection = await connect();
      const answer = readAnswer(await connection.write(bytes).read());
      expectRefusal(answer, ...refusal);
      await connection.closed();
      assert.deepEqual([answer.headers['connection'], connection.rest], ['close', '']);
    }),
  ),
  socketLaw(
    TOPIC,
    'answers once to bytes that are no request, however many more come, and serves others',
    async (world) => {
      const connection = await world.connect();
      for (let each = 0; each < 20; each += 1) connection.write('NO SUCH THING\r\n\r\n');
      expectRefusal(readAnswer(await connection.read()), 400, 'malformed_request');
      await connection.closed();
      assert.equal(connection.rest, '');
      expectStatus(readAnswer(await world.server.send({ method: 'GET', path: '/health' })), 200);
    },
  ),
  socketLaw(
    TOPIC,
    'answers a request without a Host in the envelope with 400 malformed_request, and HTTP/1.0, which needs none, as asked',
    async ({ connect }) => {
      const connection = await connect();
      expectRefusal(
        readAnswer(await connection.write('GET /health HTTP/1.1\r\n\r\n').read()),
        400,
        'malformed_request',
      );
      expectStatus(readAnswer(await connection.write('GET /health HTTP/1.0\r\n\r\n').read()), 200);
    },
  ),
  socketLaw(TOPIC, 'goes on after 100-continue, in any case', async ({ connect }) => {
    const connection = await connect();
    const body = JSON.stringify(CREATE_BODY);
    connection.write(
      head('POST', '/v1/gate_sessions', [
        ...HEADERS,
        `Idempotency-Key: ${freshKey()}`,
        'Expect: 100-Continue',
        `Content-Length: ${body.length}`,
      ]),
    );
    assert.equal((await connection.read()).status, 100);
    expectStatus(readAnswer(await connection.write(body).read()), 201);
  }),
];

/** Waits until the server has this many connections. Limited by the timeout of the runner. */
async function untilConnected({ server }: ServedWorld, count: number): Promise<void> {
  while ((await server.connections()) !== count) await turn();
}

/** Holds the first call until it is released. */
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
