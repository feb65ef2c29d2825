import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { routesOf } from '@gateramp/core/http';
import { openApiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import { Gate } from '@gateramp/sdk-node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pathWithHttpx } from '../../../sdks/python/test/python.js';

const run = promisify(execFile);

interface Sample {
  readonly label: string;
  readonly source: string;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-codeSamples'?: readonly Sample[];
}

// Whatever a path holds by method is an operation of this document.
const operations = Object.values(openApiDocument({ routes: routesOf([pools(), sandbox()]) }).paths).flatMap((path) =>
  Object.values(path),
) as Operation[];
const samples = operations.map(({ operationId, security = [], 'x-codeSamples': all = [] }) => ({
  operationId,
  isForServers: security.some((scheme) => 'secret' in scheme),
  of: (label: string) => all.find((sample) => sample.label === label)?.source ?? null,
}));
const forServers = samples.filter(({ of }) => of('Node') !== null);

const asked: { request: string; body: unknown; isKeyed: boolean }[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  request.on('end', () => {
    const body: unknown = text === '' || text === '{}' ? null : JSON.parse(text);
    asked.push({
      request: `${request.method} ${request.url}`,
      body,
      isKeyed: request.headers['idempotency-key'] !== undefined,
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"pay_in","data":[]}');
  });
});
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server bound to TCP has an address object.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = { ...process.env, GATE_SECRET_KEY: 'sk_test_a', GATE_URL: url, GATE_POOLS_URL: url };
});
afterAll(() => server.close());

async function requestsOf(send: () => Promise<unknown>): Promise<readonly (typeof asked)[number][]> {
  asked.length = 0;
  await send();
  return [...asked];
}

const withCurl = () =>
  requestsOf(() => run('bash', ['-ec', forServers.map(({ of }) => `${of('curl')} -s`).join('\n')], { env }));

it('every operation of the API has a sample in curl', () => {
  const undocumented = samples.filter(({ of }) => of('curl') === null).map(({ operationId }) => operationId);
  expect(undocumented.sort()).toEqual(['docs', 'docsStyle', 'openApi']);
});

it('every operation for secret keys has samples for Node and Python', () => {
  const missing = samples.filter(
    ({ isForServers, of }) => isForServers && (of('Node') === null || of('Python') === null),
  );
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
});

it('the samples for Node and Python send what the one in curl sends', async () => {
  const byCurl = await withCurl();
  expect(byCurl).toHaveLength(forServers.length);

  const byNode = await requestsOf(async () => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    for (const name of ['GATE_SECRET_KEY', 'GATE_URL', 'GATE_POOLS_URL']) vi.stubEnv(name, env[name] ?? '');
    for (const { of } of forServers) {
      const lines = (of('Node') ?? '').replace("import { Gate } from '@gateramp/sdk-node';", '');
      // A function of its class, which is the lines of a sample.
      const sample = runInThisContext(`(async (Gate) => {${lines}})`) as (gate: typeof Gate) => Promise<void>;
      await sample(Gate);
    }
  });
  expect(byNode).toEqual(byCurl);

  const program = 'import json, sys\nfor source in json.load(sys.stdin): exec(source, {})';
  const byPython = await requestsOf(async () => {
    const running = run('python3', ['-c', program], {
      env: { ...env, PYTHONPATH: await pathWithHttpx('python3'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    running.child.stdin?.end(JSON.stringify(forServers.map(({ of }) => of('Python'))));
    await running;
  });
  expect(byPython).toEqual(byCurl);
});
