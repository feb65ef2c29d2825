import { Resolver } from 'node:dns/promises';
import { hostsFile } from './hosts-file.js';

/** All addresses of a host name. Rejects when there is no answer, or soon after `signal` is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Whom to ask for addresses, and for how long. */
export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; the system's when left out. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/** One question to one server, and how often it is put: UDP may lose one. The look-up as a whole has a limit of its own. */
const QUESTION_TIMEOUT_MS = 1_500;
const TRIES = 2;

/** Many servers drop questions for AAAA. With one kind of address found, the other is waited for only so long. */
const OTHER_KIND_MS = 300;

/**
 * Asks the hosts file, then name servers by c-ares, which needs no thread: `dns.lookup` has two for the whole process, and two names that
 * never answer would stop every other look-up in it, the database's included. Names are asked for as they are written: no search domains.
 */
export function systemResolve({ servers, hostsFile: path }: ResolverOptions = {}): ResolveHost {
  const hosts = hostsFile(path);
  return async (hostname, signal) => {
    const own = hosts(hostname);
    if (own !== null) return own;
    // One each, so that ending this look-up ends no other, and a changed resolv.conf is read.
    const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return await bothKinds(resolver, hostname);
    } finally {
      signal.removeEventListener('abort', cancel);
      resolver.cancel();
    }
  };
}

async function bothKinds(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  const kinds = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  let patience: NodeJS.Timeout | undefined;
  const hasOne = (addresses: readonly string[]): void => {
    if (addresses.length > 0) patience ??= setTimeout(() => resolver.cancel(), OTHER_KIND_MS);
  };
  for (const kind of kinds) kind.then(hasOne, () => undefined);
  const answers = await Promise.allSettled(kinds);
  clearTimeout(patience);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (found.length === 0) throw new Error('No address was found.', { cause: failures[0] });
  return found;
}
