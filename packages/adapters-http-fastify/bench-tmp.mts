import { fastify } from 'fastify';
import express from 'express';
import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { expressGate } from '@gateramp/adapters-http-express';
import { createTestGate } from '@gateramp/testing';
const kind = process.argv[2];
const t = await createTestGate();
const s = await t.createSession();
let port;
if (kind === 'bare') {
  const app = fastify();
  const reply = { ...s };
  app.post('/v1/gate_sessions', async (req, rep) => { rep.code(201); return { ...reply, ...(req.body as object) }; });
  app.get('/v1/gate_sessions/:id', async () => reply);
  await app.listen({ port: 0, host: '127.0.0.1' }); port = (app.server.address() as any).port;
} else if (kind === 'fastify') {
  const app = fastify(); await app.register(fastifyGate, { gate: t.gate, mode: 'test' });
  await app.listen({ port: 0, host: '127.0.0.1' }); port = (app.server.address() as any).port;
} else if (kind === 'null') {
  const body = JSON.stringify(s);
  const gate = { ...t.gate, handle: async () => ({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', 'x-request-id': 'req_x', 'x-ratelimit-limit-short': '10', 'x-ratelimit-remaining-short': '10', 'x-ratelimit-reset-short': '10' }, body }) };
  const app = fastify(); await app.register(fastifyGate, { gate: gate as any, mode: 'test' });
  await app.listen({ port: 0, host: '127.0.0.1' }); port = (app.server.address() as any).port;
} else {
  const app = express(); app.use(expressGate(t.gate, { mode: 'test' }));
  const srv = app.listen(0, '127.0.0.1'); await new Promise(r => srv.once('listening', r)); port = (srv.address() as any).port;
}
process.on("SIGINT", () => process.exit(0));
process.on("SIGUSR2", () => { const u = process.cpuUsage(); console.log(JSON.stringify({ cpu: u.user + u.system })); });
console.log(JSON.stringify({ port, id: s.id, key: t.keys.secret.test }));
