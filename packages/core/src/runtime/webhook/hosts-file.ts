import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

const SYSTEM_HOSTS_FILE =
  process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts';

/** What a machine answers for itself when its hosts file says nothing (RFC 6761): no name server is ever asked for these. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

type Hosts = ReadonlyMap<string, readonly string[]>;

/**
 * The addresses that this machine itself gives a name; null if it gives none. The file is read again when it has changed. In place, not on
 * the thread pool: that is what a look-up of a webhook must never wait for.
 */
export function hostsFile(path = SYSTEM_HOSTS_FILE): (hostname: string) => readonly string[] | null {
  let readAt: number | null = null;
  let hosts: Hosts = new Map();
  return (hostname) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
    if (changedAt !== readAt) hosts = changedAt === null ? new Map() : parseHosts(readFileSync(path, 'utf8'));
    readAt = changedAt;
    const name = hostname.toLowerCase().replace(/\.$/, '');
    return hosts.get(name) ?? (/(^|\.)localhost$/.test(name) ? LOOPBACK : null);
  };
}

/** An address, then its names; one name may be on several lines. */
function parseHosts(text: string): Hosts {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}
