import Fastify from 'fastify';
import { bareAnswer, STORED } from './bare-answer.mjs';

const app = Fastify();
app.post('/v1/gate_sessions', (request, reply) => {
  reply.code(201).send(bareAnswer(request.body));
});
app.get('/v1/gate_sessions/:id', (request, reply) => {
  reply.send(bareAnswer(STORED));
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
