import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { DeliveryFault } from './delivery-fault.js';
import { isPublicAddress } from './destination-guard.js';

export interface DestinationRules {
  /** Permits loopback and private targets: for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** All addresses of a host name. Rejects when there is no answer. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
}

/** Ends a connection attempt that its delivery has given up on already. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A host with several addresses gets this long at each but the last; Node's own 250 ms is too little across an ocean. */
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * Opens sockets to vetted addresses only. Every look-up is vetted, remembered answers too, and hands the socket the very addresses that
 * were vetted, so a second, different answer of the name server is never asked for; host name, `Host` and SNI stay as they were.
 * Pooled sockets stay with the address they were opened to.
 */
export function guardedConnector({ allowPrivate, resolve }: DestinationRules): buildConnector.connector {
  const allowed = (ip: string): boolean => allowPrivate || isPublicAddress(ip);
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: vettedLookup(resolve, allowed),
  };
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      // Not `socket === null`: whatever its types say, undici leaves the socket out when it failed.
      if (error !== null) return callback(error, null);
      // The last word is the socket's: whatever was looked up, this is who answers.
      if (socket.remoteAddress === undefined || allowed(socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new DeliveryFault('blocked_destination'), null);
    });
  };
}

/** Node looks up names only, so literals in a URL are vetted before, by `vettedUrl`. */
function vettedLookup(resolve: DestinationRules['resolve'], allowed: (ip: string) => boolean): LookupFunction {
  return (hostname, _options, callback) => {
    vettedAddresses(hostname, resolve, allowed).then(
      // `autoSelectFamily` always asks for all of them.
      (addresses) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error: DeliveryFault) => callback(error, []),
    );
  };
}

/** One private address among public ones refuses the name: which of them answers is not ours to choose. */
async function vettedAddresses(
  hostname: string,
  resolve: DestinationRules['resolve'],
  allowed: (ip: string) => boolean,
): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new DeliveryFault('dns', { cause });
  });
  if (addresses.length === 0) throw new DeliveryFault('dns');
  if (!addresses.every(allowed)) throw new DeliveryFault('blocked_destination');
  return addresses;
}
