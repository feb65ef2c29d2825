import { createGateOffRamp, createGateOnRamp, createGateSwap, GateRamp, GateWidget } from './index.js';

/** The entry point for script tags: assigns the exports to global variables. */
Object.assign(globalThis, { GateRamp, createGateOnRamp, createGateOffRamp, createGateSwap, GateWidget });
