import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import Fastify from 'fastify';
import { benchGate } from './gate.mjs';

const gate = await benchGate(sqliteStore(process.env.BENCH_DATABASE_FILE));
const app = Fastify();
await app.register(fastifyGate, { gate, mode: 'test' });
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
