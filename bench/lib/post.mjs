import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** Sends one request; resolves with what it was answered, which must be a 201. */
export function post(port, message) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: message.path, method: 'POST', headers: message.headers, agent },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 201) resolve(JSON.parse(text));
          else reject(new Error(`Expected 201, got ${response.statusCode}: ${text}`));
        });
      },
    );
    // A kept connection may be closed just as it is taken; the key makes asking again harmless.
    sent.on('error', (error) =>
      sent.reusedSocket && error.code === 'ECONNRESET' ? resolve(post(port, message)) : reject(error),
    );
    sent.end(message.body);
  });
}
