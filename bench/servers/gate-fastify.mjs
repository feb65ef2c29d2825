import { fastifyGate } from '@gateramp/adapters-http-fastify';
import Fastify from 'fastify';
import { benchGate, oneSession } from './gate.mjs';

const gate = await benchGate();
const app = Fastify();
// The load has forwarding headers of a proxy, which are not trusted here.
await app.register(fastifyGate, { gate, mode: 'test', onWarning: () => undefined });
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port, sessionId: await oneSession(gate) });
