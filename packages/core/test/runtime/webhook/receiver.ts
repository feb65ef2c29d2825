import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A real receiver on a loopback port, closed after the test. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** Connections made so far. */
  connections(): number;
  close(): Promise<void>;
}

export function httpReceiver(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<Receiver> {
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  };
  return listening(createHttpServer(listener));
}

/** For behaviour that no HTTP server has. */
export function tcpReceiver(onBytes: (socket: Socket, bytes: Buffer) => void): Promise<Receiver> {
  return listening(createTcpServer((socket) => socket.on('data', (bytes) => onBytes(socket, bytes))));
}

async function listening(server: Server): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a pipe's name
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(close);
  return { port, url: `http://127.0.0.1:${port}/hooks`, connections: () => connections, close };
}
