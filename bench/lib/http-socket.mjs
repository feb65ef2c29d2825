import { once } from 'node:events';
import { createConnection } from 'node:net';

/**
 * A keep-alive socket for one request at a time. Requests are text, and answers are only split at their end, so that the
 * client costs little and the server is measured.
 *
 * @param {{ port: number, expect: number | readonly number[], onFault: (error: Error) => void }} options `onFault` is also called for an
 *   answer with another status
 */
export function httpSocket({ port, expect, onFault }) {
  const expected = [expect].flat();
  const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
  let pending = '';
  let answered = null;
  socket.setEncoding('latin1');
  socket.on('error', onFault);
  const onClose = () => onFault(new Error('The server closed the connection.'));
  socket.on('close', onClose);
  socket.on('data', (chunk) => {
    pending = pending === '' ? chunk : pending + chunk;
    const head = pending.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(pending.slice(0, head + 2));
    if (length === null) return onFault(new Error(`No content-length in the answer: ${pending.slice(0, head)}`));
    if (pending.length < head + 4 + Number(length[1])) return;
    const status = Number(pending.slice(9, 12));
    if (!expected.includes(status))
      return onFault(new Error(`Expected ${expected.join(' or ')}, got: ${pending.slice(0, 600)}`));
    const body = pending.slice(head + 4);
    pending = '';
    answered(body, status);
  });
  return {
    connected: once(socket, 'connect'),
    /** Calls `done` with the answer's body, as latin1, and its status. */
    ask(request, done) {
      answered = done;
      socket.write(request);
    },
    end() {
      socket.off('close', onClose);
      socket.end();
    },
  };
}

/** One HTTP/1.1 request as text. */
export function httpRequest(method, path, headers, body = '') {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
