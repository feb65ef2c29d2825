import type { Gate } from '@gateramp/core';
import { createTestGate, type TestGate } from '@gateramp/testing';
import type { Law } from '../../law.js';
import { RawConnection } from './raw-connection.js';
import type { MountedServer, SocketSubject } from './socket-subject.js';

/** A gate served on a socket in test mode, and connections to it. */
export interface ServedWorld {
  readonly t: TestGate;
  readonly server: MountedServer;
  readonly connect: () => Promise<RawConnection>;
}

/** A law about one server. `watched` may wrap the gate. */
export function socketLaw(
  topic: string,
  title: string,
  run: (world: ServedWorld) => Promise<void>,
  watched: (gate: Gate) => Gate = (gate) => gate,
): Law<SocketSubject> {
  return { topic, title, run: (subject) => inServer(subject, watched, run) };
}

export async function inServer(
  subject: SocketSubject,
  watched: (gate: Gate) => Gate,
  run: (world: ServedWorld) => Promise<void>,
): Promise<void> {
  const t = await createTestGate();
  const server = await subject.mount(watched(t.gate), 'test');
  const connections: RawConnection[] = [];
  const connect = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(server.port);
    connections.push(connection);
    return connection;
  };
  try {
    await run({ t, server, connect });
  } finally {
    for (const connection of connections) connection.leave();
    await server.close();
  }
}
