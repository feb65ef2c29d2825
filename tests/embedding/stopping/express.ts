import { createServer } from 'node:http';
import { answerRefusedRequests, expressGate } from '@gateramp/adapters-http-express';
import { gracefulStop, SERVER_LIMITS } from '@gateramp/core/runtime';
import express from 'express';
import { gate, pool } from './gate.js';

const app = express();
app.use('/sandbox', expressGate(gate, { mode: 'test' }));
const server = createServer({ ...SERVER_LIMITS, requireHostHeader: false }, app);
answerRefusedRequests(server, gate, { mode: 'test', prefix: '/sandbox' });

const stop = gracefulStop({ servers: [server], gate, mode: 'test', close: [() => pool.end()] });
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop().then(() => process.exit()));

await gate.start();
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
