import { fastifyGate, gateServerOptions } from '@gateramp/adapters-http-fastify';
import { gracefulStop } from '@gateramp/core/runtime';
import { fastify } from 'fastify';
import { gate, pool } from './gate.js';

const mount = { gate, mode: 'test', prefix: '/sandbox' } as const;
const app = fastify({ ...gateServerOptions(mount) });
await app.register(fastifyGate, mount);

const close = [() => app.close(), () => pool.end()]; // `app.close` runs your `onClose` hooks
const stop = gracefulStop({ servers: [app.server], gate, mode: 'test', close });
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop().then(() => process.exit()));

await gate.start();
await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
