import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { gate, secretKey } from './gate.js';

/** Starts the named program of the README and creates a session over HTTP. */
process.env['PORT'] = '0';
const server: Server =
  process.argv[2] === 'express'
    ? (await import('./embed-express.js')).server
    : (await import('./embed-fastify.js')).server;
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
const address = server.address();
assert.ok(address !== null && typeof address === 'object', 'the server listens on a port');

const response = await fetch(`http://localhost:${address.port}/sandbox/v1/gate_sessions`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${secretKey.text}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  },
  body: JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' }),
});
assert.equal(response.status, 201, await response.text());
await gate.stop();
server.closeAllConnections();
server.close();
