import { connect, createServer, type Server } from 'node:net';

/** Where a server listens that was given port 0. */
export function portOf(server: { address: Server['address'] }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const port = portOf(server);
      server.close(() => resolve(port));
    });
  });
}

/** Whether somebody takes connections there. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
