import { createServer } from 'node:http';

/**
 * Accepts every webhook. Asked, it tells how many came and when the first and the last did; asked for `arrivals`, of those whose
 * `user_reference` says when their request was sent, that time, the event's id and when it came.
 */
let count = 0;
let firstAt = 0;
let lastAt = 0;
const arrivals = [];
const server = createServer((request, response) => {
  const arrivedAt = performance.timeOrigin + performance.now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    count += 1;
    if (count === 1) firstAt = arrivedAt;
    lastAt = arrivedAt;
    const sentAt = /"user_reference":"sent ([\d.]+)"/.exec(Buffer.concat(chunks).toString());
    if (sentAt !== null) arrivals.push({ id: request.headers['x-svc-event-id'], sentAt: Number(sentAt[1]), arrivedAt });
    response.writeHead(200, { 'content-length': 0 });
    response.end();
  });
});
process.on('message', (asked) => process.send(asked === 'arrivals' ? { arrivals } : { count, firstAt, lastAt }));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
