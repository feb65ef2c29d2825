import type { Flow, GateRampConfig } from './config.js';
import { GateRamp } from './gate-ramp.js';

/** The options of a checkout that is locked to one flow. */
export type FlowConfig = Omit<GateRampConfig, 'flow'>;

/** A checkout that buys: money in, crypto out, no tabs. */
export const createGateOnRamp = (config: FlowConfig): GateRamp => locked(config, 'on_ramp');

/** A checkout that sells: crypto in, money out, no tabs. */
export const createGateOffRamp = (config: FlowConfig): GateRamp => locked(config, 'off_ramp');

/** A checkout that swaps: crypto in, other crypto out, no tabs. */
export const createGateSwap = (config: FlowConfig): GateRamp => locked(config, 'swap');

function locked(config: FlowConfig, flow: Flow): GateRamp {
  return new GateRamp({ ...config, flow });
}
