import type { ErrorCode } from '../domain/error-code.js';
import type { Refusal } from '../domain/refusal.js';

/** The wire resources that in-process callers send and receive. */
export type { CreatedGateSession, GateSession } from '../domain/session/session-resource.js';
export type { GateTransaction } from '../domain/transaction/transaction-resource.js';
export type { CreateGateSession } from '../http/sessions/schemas.js';

/** Why an in-process call was refused, with the code and message of the HTTP response. Outages throw instead. */
export type GateRefusal = Refusal<ErrorCode>;
