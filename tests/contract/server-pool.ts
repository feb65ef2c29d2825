import type { Mode } from '@gateramp/core';
import type { HttpSubject, MountedHost } from './kit.js';

type ServedGate = Parameters<HttpSubject['mount']>[0];

/** A server that serves the currently mounted gate. */
interface PooledServer {
  gate: ServedGate;
  readonly host: MountedHost;
}

/** A subject that reuses its servers for the gates of later laws, because starting one takes longer than most laws. */
export function pooledServers(subject: HttpSubject): HttpSubject & { readonly closeAll: () => Promise<void> } {
  const free = new Map<string, PooledServer[]>();
  return {
    async mount(gate, mode) {
      // Adapters read the policy when they are mounted.
      const kind = `${mode} ${JSON.stringify(gate.policy)}`;
      const servers = free.get(kind) ?? [];
      free.set(kind, servers);
      const server = servers.pop() ?? (await started(subject, gate, mode));
      server.gate = gate;
      return { send: (request) => server.host.send(request), close: async () => void servers.push(server) };
    },
    closeAll: async () => {
      await Promise.all([...free.values()].flat().map(({ host }) => host.close()));
    },
  };
}

async function started(subject: HttpSubject, gate: ServedGate, mode: Mode): Promise<PooledServer> {
  const current = { gate };
  const delegate: ServedGate = {
    policy: gate.policy,
    handle: (...request) => current.gate.handle(...request),
    fetch: (...request) => current.gate.fetch(...request),
  };
  return Object.assign(current, { host: await subject.mount(delegate, mode) });
}
