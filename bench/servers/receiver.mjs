import { createServer } from 'node:http';

/**
 * Accepts every webhook. Asked, it tells how many came, when the first and the last did, and how long after their
 * `user_reference` (the time their request was sent) those came that have one.
 */
let count = 0;
let firstAt = 0;
let lastAt = 0;
const delays = [];
const server = createServer((request, response) => {
  const arrivedAt = performance.timeOrigin + performance.now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    count += 1;
    if (count === 1) firstAt = arrivedAt;
    lastAt = arrivedAt;
    const sentAt = /"user_reference":"sent ([\d.]+)"/.exec(Buffer.concat(chunks).toString());
    if (sentAt !== null) delays.push(arrivedAt - Number(sentAt[1]));
    response.writeHead(200, { 'content-length': 0 });
    response.end();
  });
});
process.on('message', () => process.send({ count, firstAt, lastAt, delays }));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
