import { describeLaws, httpSocketLaws, httpTransportLaws, serverSubject } from '@gateramp/conformance';
import Koa from 'koa';
import { describe, it } from 'vitest';
import { koaGate, koaServer } from '../koa-gate.js';

const subject = serverSubject((gate, mode) => {
  const app = new Koa();
  app.silent = true; // Koa logs each client that disconnects
  app.use(koaGate(gate, { mode }));
  return Promise.resolve(koaServer(app, gate, { mode }));
});

describeLaws(httpTransportLaws, subject, { describe, it });
describeLaws(httpSocketLaws, subject, { describe, it });
