import express from 'express';
import { bareAnswer, STORED } from './bare-answer.mjs';

const app = express();
app.post('/v1/gate_sessions', express.json(), (request, response) => {
  response.status(201).json(bareAnswer(request.body));
});
app.get('/v1/gate_sessions/:id', (request, response) => {
  response.json(bareAnswer(STORED));
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
