import type { DeliveryError } from '../../domain/webhook/delivery.js';

/** A failure whose name in the delivery log is known where it happens. */
export class DeliveryFault extends Error {
  constructor(
    readonly deliveryError: DeliveryError,
    options?: ErrorOptions,
  ) {
    super(deliveryError, options);
  }
}

const BY_CODE: ReadonlyMap<string, DeliveryError> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['EHOSTUNREACH', 'connection_refused'],
  ['ENETUNREACH', 'connection_refused'],
  ['EADDRNOTAVAIL', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['ECONNABORTED', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['UND_ERR_SOCKET', 'connection_reset'],
  ['UND_ERR_DESTROYED', 'connection_reset'],
  ['UND_ERR_CLOSED', 'connection_reset'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
]);

/** How Node and OpenSSL name a handshake or certificate that failed. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|EPROTO)/;

/** What the delivery log calls a failure. What no list knows was an answer that could not be read. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof DeliveryFault) return error.deliveryError;
  const code = codeOf(error);
  return BY_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'invalid_response');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
