import { expressGate } from '@gateramp/adapters-http-express';
import express from 'express';
import { gate } from './gate.js';

const app = express();
app.use('/sandbox', expressGate(gate, { mode: 'test' }));
await gate.start();
export const server = app.listen(Number(process.env['PORT'] ?? 3000));
