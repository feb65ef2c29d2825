import { SERVER_LIMITS } from '@gateramp/core/runtime';
import { PORT_VARIABLES, type ListenerName } from '../config/settings.js';
import type { Config } from '../config/config.js';
import { StartError } from '../start-error.js';
import { DrainingServer } from './draining-server.js';

export interface Listeners<Name extends ListenerName = ListenerName> {
  readonly servers: Readonly<Record<Name, DrainingServer>>;
  /** The origin of each listener, with its actual port. */
  readonly origins: Readonly<Record<Name, string>>;
}

/** All listeners; a worker has only that of the operators. */
export const ALL_LISTENERS = Object.keys(PORT_VARIABLES) as readonly ListenerName[];

/** Without the demo shop, which simulates a partner's server. */
export const WITHOUT_DEMO = ALL_LISTENERS.filter((name) => name !== 'demo');

/** Opens the ports of `names`. All ports that cannot be opened are reported together, and none stays open. */
export async function bindListeners<Name extends ListenerName>(
  { host, ports, keepAliveMs }: Pick<Config, 'host' | 'ports' | 'keepAliveMs'>,
  names: readonly Name[],
): Promise<Listeners<Name>> {
  const servers = each(names, () => new DrainingServer({ ...SERVER_LIMITS, keepAliveTimeout: keepAliveMs }));
  const problems: string[] = [];
  for (const name of names) {
    await servers[name]
      .bind(host, ports[name])
      .catch((error: unknown) => problems.push(bindProblem(name, host, ports[name], error)));
  }
  if (problems.length > 0) {
    for (const name of names) servers[name].cut();
    throw new StartError(problems);
  }
  return { servers, origins: each(names, (name) => `http://${reachableHost(host)}:${servers[name].port}`) };
}

function each<Name extends ListenerName, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  // Created from exactly these names.
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

/** A wildcard address can be bound to, but not called. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function bindProblem(name: ListenerName, host: string, port: number, error: unknown): string {
  const variable = PORT_VARIABLES[name];
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return `${variable}: port ${port} on ${host} is already in use. Stop the other program, or set ${variable} to another port (0 takes any free one).`;
    case 'EACCES':
      return `${variable}: this user may not open port ${port}. Set ${variable} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `GATE_HOST: "${host}" is not an address of this machine (for ${variable}).`;
    default:
      return `${variable}: cannot listen on ${host}, port ${port} (${code === '' ? String(error) : code}).`;
  }
}
