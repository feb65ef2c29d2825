import type { ErrorCode } from '../domain/error-code.js';
import type { Refusal } from '../domain/refusal.js';

/** The wire's resources, as a host that calls in process receives and gives them. */
export type { CreatedGateSession, GateSession } from '../domain/session/session-resource.js';
export type { GateTransaction } from '../domain/transaction/transaction-resource.js';
export type { CreateGateSession } from '../http/sessions/schemas.js';

/** Why a call in process was refused: the code and message that HTTP would have answered. An outage throws instead. */
export type GateRefusal = Refusal<ErrorCode>;
