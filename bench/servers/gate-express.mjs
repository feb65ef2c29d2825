import { expressGate } from '@gateramp/adapters-http-express';
import express from 'express';
import { benchGate, oneSession } from './gate.mjs';

const gate = await benchGate();
const app = express();
app.use(expressGate(gate, { mode: 'test', onWarning: () => undefined }));
const server = app.listen(0, '127.0.0.1', async () => {
  process.send({ port: server.address().port, sessionId: await oneSession(gate) });
});
