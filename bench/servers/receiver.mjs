import { createServer } from 'node:http';

/** Accepts every webhook and counts; tells its count when asked. */
let count = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    count += 1;
    response.writeHead(200, { 'content-length': 0 });
    response.end();
  });
});
process.on('message', () => process.send({ count }));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
