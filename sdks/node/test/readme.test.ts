import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createCertificate } from '../../../tests/services/certificate.js';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { modulesOf } from '../../../tools/docs.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';

/** Inside the clone, so that what a block imports is found. */
const FOLDER = join(root, 'node_modules/.cache/gateramp/sdk-node-readme');
const README = readFileSync(join(root, 'sdks/node/README.md'), 'utf8');

/** What the `console.log` lines of the README promise; a line without a comment promises nothing. */
const promised = [...README.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line = '']) => line);

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A service that is reached over TLS, and the keys that it was sent. */
async function secureService() {
  const { certificate, key, remove } = createCertificate();
  onTestFinished(remove);
  const keys: (string | undefined)[] = [];
  const pem = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(pem, (request, response) => {
    keys.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: [{ code: 'DE' }], has_more: false, url: '/' }));
  });
  return { url: `https://127.0.0.1:${await portOf(server)}`, certificate, keys };
}

/** A proxy for tunnels, and the requests that it was sent. */
async function tunnelProxy() {
  const asked: string[] = [];
  const server = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers.authorization ?? 'without a key'}`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  return { url: `http://127.0.0.1:${await portOf(server)}`, asked };
}

it('every block of the README runs and prints what it says, the proxy recipe through a real proxy', async () => {
  const { origins, returnUrl } = await startReferenceServer();
  const service = await secureService();
  const proxy = await tunnelProxy();
  const files = modulesOf({ text: README }).map(({ code, line }) => {
    const text = code
      .replaceAll('http://127.0.0.1:4242', origins.sandbox)
      .replaceAll('https://pay.example', service.url)
      .replaceAll('https://shop.example/done', returnUrl)
      .replaceAll('sk_test_gateramp_demo_secret_key', TEST_PARTNER.secretKey)
      .replaceAll(/whsec_\w+…/g, TEST_PARTNER.webhookSecret);
    return { name: `block-${line}.mts`, text: `${text}\nexport {};\n` };
  });
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(FOLDER, name), text);
  const runner = files.map(({ name }) => `await import('./${name}');\n`).join('');
  writeFileSync(join(FOLDER, 'all.mts'), `${runner}process.exit();\n`);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@gateramp/source', '--import', 'tsx', join(FOLDER, 'all.mts')],
    {
      cwd: root,
      env: { PATH: process.env['PATH'], HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: service.certificate },
    },
  );
  expect(files.length).toBeGreaterThan(8);
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.shift()).toMatch(/^gsec_/);
  expect(lines.filter((line) => line.startsWith(`GET ${origins.sandbox}/`))).toHaveLength(1);
  expect(lines.filter((line) => !line.startsWith(`GET ${origins.sandbox}/`))).toEqual(promised.slice(1));
  expect(proxy.asked).toEqual([`CONNECT ${new URL(service.url).host} without a key`]);
  expect(service.keys).toEqual([`Bearer ${TEST_PARTNER.secretKey}`]);
});
