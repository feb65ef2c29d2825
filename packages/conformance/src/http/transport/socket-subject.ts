import type { Server } from 'node:http';
import type { Mode } from '@gateramp/core';
import type { HttpSubject, MountedHost, ServedGate } from '../subject.js';
import { sendOverSocket } from './send-over-socket.js';

/** A subject that listens on loopback, so that laws can open their own connections. */
export interface SocketSubject extends HttpSubject {
  mount(gate: ServedGate, mode: Mode): Promise<MountedServer>;
}

/** A server with a mounted gate, and a way to stop it. */
export interface MountedServer extends MountedHost {
  readonly port: number;
  /** The number of open connections of the server. */
  connections(): Promise<number>;
}

/** Creates a subject from a function that returns a Node server with the gate at its root. Opens and closes the server. */
export function serverSubject(serverOf: (gate: ServedGate, mode: Mode) => Promise<Server>): SocketSubject {
  return {
    async mount(gate, mode) {
      const server = await serverOf(gate, mode);
      const port = await listen(server);
      return {
        port,
        send: (request) => sendOverSocket(port, request),
        connections: () => connectionsOf(server),
        close: () => close(server),
      };
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('A server on TCP has a port.'));
      else resolve(address.port);
    });
  });
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
