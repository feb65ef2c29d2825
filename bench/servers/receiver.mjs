import { createServer } from 'node:http';

/**
 * Accepts every webhook. On a message, it reports their number and the times of the first and the last one. On `arrivals`, it reports for
 * each webhook with a `user_reference` from `createdAt` the id of the event, the time of the request, and the time of arrival.
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
