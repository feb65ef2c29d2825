export { GateRamp } from './gate-ramp.js';
export { createGateOffRamp, createGateOnRamp, createGateSwap, type FlowConfig } from './factories.js';
export { GateWidget } from './gate-widget.js';
export {
  ConfigError,
  MountError,
  MountTargetError,
  SecretKeyInBrowserError,
  StateError,
  type MountErrorCode,
} from './errors.js';
export type { Flow, GateRampConfig, Theme } from './config.js';
export type { GateRampHandlers, Unavailable } from './handlers.js';
export type { Environment } from './hosts.js';
export type { PagePreferences } from './init-config.js';
export type { CloseReason, PaymentFailure, PaymentSuccess } from './messages.js';
export type { RedirectConfig } from './redirect-to-checkout.js';
