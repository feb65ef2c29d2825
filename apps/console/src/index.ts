/** Serves the console: its API `/console/v1`, which is documented in OpenAPI, and its page. */
export { consoleHandler, type ConsoleHandler, type ConsoleOptions } from './server/console-handler.js';
export type { ConsoleRateLimits } from './server/console-limits.js';
export { consoleListener, type ConsoleListenerOptions } from './server/console-listener.js';
export { type Doors, type IdentifiedOperator, type PasskeyCeremonies, signInOperator } from './server/sign-in.js';
export { recordRefusedSignIn, type RefusedSignIn } from './server/refused-sign-ins.js';
export type { ConsoleAlarm, ConsoleAlarms } from './server/alarms-port.js';
export type { Audited, ConsoleLegs, LegOperation, LegOperationView, LegWallet } from './server/legs-port.js';
export type { Operator } from './server/visitor.js';
export { type Role, ROLES } from './server/roles.js';
/** The OpenAPI document of `/console/v1`. */
export { consoleApi } from './server/dispatch.js';
