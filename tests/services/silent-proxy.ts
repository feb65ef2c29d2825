import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

import { portOf } from './ports.js';

export interface SilentProxy {
  readonly port: number;
  /** From now on open connections transfer nothing, without being closed; new ones work. */
  readonly fallSilent: () => void;
  readonly stop: () => Promise<void>;
}

/** Forwards connections to a local port, until they become silent as behind a firewall that drops packets. */
export async function startSilentProxy(targetPort: number): Promise<SilentProxy> {
  const links = new Set<{ readonly sockets: readonly [Socket, Socket]; isSilent: boolean }>();
  const server = createServer({ noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    const link = { sockets: [client, target] as const, isSilent: false };
    links.add(link);
    for (const [from, to] of [link.sockets, [target, client] as const]) {
      from.on('data', (chunk) => {
        if (!link.isSilent) to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (!link.isSilent) to.destroy();
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: portOf(server),
    fallSilent() {
      for (const link of links) link.isSilent = true;
    },
    async stop() {
      for (const { sockets } of links) for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
