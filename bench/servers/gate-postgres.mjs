import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import Fastify from 'fastify';
import { benchGate, oneSession } from './gate.mjs';
import { benchPool } from './postgres.mjs';

const pool = benchPool();
await migrate(pool);
const gate = await benchGate(postgresStore(pool, { preparedStatements: true }));
const app = Fastify();
await app.register(fastifyGate, { gate, mode: 'test' });
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port, sessionId: await oneSession(gate) });
