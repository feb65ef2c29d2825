import { createGateOffRamp, createGateOnRamp, createGateSwap, GateRamp, GateWidget } from './index.js';

/** The script-tag file: what a page without modules uses by name. */
Object.assign(globalThis, { GateRamp, createGateOnRamp, createGateOffRamp, createGateSwap, GateWidget });
