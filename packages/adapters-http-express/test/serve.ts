import { createServer } from 'node:http';
import type { TestGate } from '@gateramp/testing';
import { serverSubject, type MountedServer } from '@gateramp/conformance';
import express, { type Express } from 'express';
import { onTestFinished } from 'vitest';

/** Serves a host's app on a socket until the test ends. */
export async function serve(t: TestGate, prepare: (app: Express) => void): Promise<MountedServer> {
  const subject = serverSubject(async () => {
    const app = express();
    prepare(app);
    return createServer(app);
  });
  const server = await subject.mount(t.gate, 'test');
  onTestFinished(() => server.close());
  return server;
}

/** A request that creates a session. */
export function creation(t: TestGate, body: string | object = {}, headers: Readonly<Record<string, string>> = {}) {
  const session = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  return {
    method: 'POST',
    path: '/v1/gate_sessions',
    headers: {
      authorization: `Bearer ${t.keys.secret.test}`,
      'content-type': 'application/json',
      'idempotency-key': `key-${(keys += 1)}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify({ ...session, ...body }),
  };
}

let keys = 0;
