import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BODY_BYTES_MAX, requestTarget, takesFile } from '@gateramp/core/http';
import { gracefulStop, readBody, SERVER_LIMITS, unreadBody } from '@gateramp/core/runtime';
import { gate, pool } from './gate.js';

const server = createServer(SERVER_LIMITS, (request, response) => {
  answer(request, response).catch(() => response.destroy()); // the client disconnected while it sent its body
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', headers, socket } = request;
  const target = requestTarget(request.url ?? '/');
  const isFile = takesFile(method, target.path);
  const body = isFile ? unreadBody(request, request) : await readBody(request, request, BODY_BYTES_MAX);
  const clientIp = socket.remoteAddress ?? '';
  const answered = await gate.handle('test', { method, ...target, headers, body, clientIp });
  response.writeHead(answered.status, answered.headers).end(answered.body);
}

const stop = gracefulStop({ servers: [server], gate, mode: 'test', close: [() => pool.end()] });
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop().then(() => process.exit()));

await gate.start();
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
