'use client';

export { RampCheckout, RampCheckout as GateCheckout, type RampCheckoutProps } from './ramp-checkout.js';
export { GateOffRamp, GateOnRamp, GateSwap, type FlowCheckoutProps } from './flows.js';
