import { fastifyGate } from '@gateramp/adapters-http-fastify';
import fastify from 'fastify';
import { gate } from './gate.js';

const app = fastify();
await app.register(fastifyGate, { gate, mode: 'test', prefix: '/sandbox' });
await gate.start();
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
export const { server } = app;
