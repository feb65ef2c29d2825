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

/** What usually is the matter, and what to do about it. */
const HINTS: Readonly<Record<SignatureReason, string>> = {
  parsed_body:
    'The payload is not the body as it arrived. Hand over the raw bytes: express.raw({ type: "*/*" }) before express.json(), await request.arrayBuffer() instead of request.json(), or webhooks.receive(), which reads them itself.',
  no_header:
    'There is no Gate-Signature header. Is this request from Gateramp, and does a proxy in between drop the header?',
  malformed_header:
    'The Gate-Signature header is not "t=<unix seconds>,v1=<64 hex digits>". Hand over the header as it arrived, and only this one.',
  no_matching_signature:
    'The body was not signed with this secret. Is it the secret of this mode, not replaced by a rotation since, and is the payload the raw body, neither parsed and written again nor decoded?',
  timestamp_too_old:
    'The signature is genuine but too old: this is a delivery repeated by somebody else, or the clock of this machine is fast.',
  timestamp_in_future: 'The signature is genuine but from the future: the clock of this machine is slow.',
  secret_malformed:
    'A signing secret is "whsec_" and what follows, without spaces, line breaks or quotes. Look at the setting it is read from.',
};

/** A webhook that must not be believed. `reason` says why, and `hint` what usually is the matter. */
export class WebhookSignatureError extends GateError {
  readonly reason: SignatureReason;
  readonly hint: string;

  constructor(reason: SignatureReason) {
    super(
      { message: `${reason}: ${HINTS[reason]}`, messages: [HINTS[reason]] },
      'invalid_request',
      'WebhookSignatureError',
    );
    this.reason = reason;
    this.hint = HINTS[reason];
  }
}
