import { GateError } from './gate-error.js';

/** Why a webhook was refused. */
export type SignatureReason =
  | 'parsed_body'
  | 'no_header'
  | 'malformed_header'
  | 'no_matching_signature'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'secret_malformed';

/** The usual cause of each reason, and its fix. */
const HINTS: Readonly<Record<SignatureReason, string>> = {
  parsed_body:
    'The payload is not the raw request body. Pass the raw bytes: express.raw({ type: "*/*" }) before express.json(), await request.arrayBuffer() instead of request.json(), or webhooks.receive(), which reads them itself.',
  no_header:
    'Missing Gate-Signature header. Check that the request is from Gateramp and that no proxy drops the header.',
  malformed_header:
    'The Gate-Signature header is not "t=<unix seconds>,v1=<64 hex digits>". Pass the header unchanged, and only this header.',
  no_matching_signature:
    'The body was not signed with this secret. Check that the secret belongs to this mode and has not been rotated, and that the payload is the raw body, neither parsed nor decoded.',
  timestamp_too_old:
    'The signature is valid but too old: the delivery was replayed, or the clock of this machine is fast.',
  timestamp_in_future: 'The signature is valid but from the future: the clock of this machine is slow.',
  secret_malformed:
    'Malformed signing secret. Pass the complete "whsec_…" value, without spaces, line breaks or quotes.',
};

/** Thrown for a webhook that must not be trusted. `reason` says what failed, and `hint` gives the usual cause. */
export class WebhookSignatureError extends GateError {
  readonly reason: SignatureReason;
  readonly hint: string;

  constructor(reason: SignatureReason, hint: string = HINTS[reason]) {
    super({ message: `${reason}: ${hint}`, messages: [hint] }, 'invalid_request', 'WebhookSignatureError');
    this.reason = reason;
    this.hint = hint;
  }
}
