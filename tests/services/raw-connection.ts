import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that has sent these bytes, and the text that the server sends on it until it is closed. */
export async function sending(port: number, bytes: string): Promise<{ socket: Socket; text: Promise<string> }> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (part: string) => (received += part));
  const text = once(socket, 'close').then(() => received);
  socket.write(bytes);
  return { socket, text };
}
