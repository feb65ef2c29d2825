import { createServer } from 'node:http';
import { answerRefusedRequests, expressGate } from '@gateramp/adapters-http-express';
import { serverSubject, type SocketSubject } from '@gateramp/conformance';
import express, { type Express } from 'express';

/** The gate at the root of an Express app, on a socket. */
export function expressSubject(prepare: (app: Express) => void = () => undefined): SocketSubject {
  return serverSubject(async (gate, mode) => {
    const app = express().disable('x-powered-by');
    prepare(app);
    app.use(expressGate(gate, { mode, onWarning: () => undefined }));
    const server = createServer({ requireHostHeader: false }, app);
    answerRefusedRequests(server, gate, { mode });
    return server;
  });
}
