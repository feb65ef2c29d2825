import { createElement, type ReactElement } from 'react';
import { RampCheckout, type RampCheckoutProps } from './ramp-checkout.js';

/** The props of a checkout that is locked to one flow. */
export type FlowCheckoutProps = Omit<RampCheckoutProps, 'flow'>;

/** A checkout that buys: money in, crypto out, no tabs. */
export const GateOnRamp = (props: FlowCheckoutProps): ReactElement =>
  createElement(RampCheckout, { ...props, flow: 'on_ramp' });

/** A checkout that sells: crypto in, money out, no tabs. */
export const GateOffRamp = (props: FlowCheckoutProps): ReactElement =>
  createElement(RampCheckout, { ...props, flow: 'off_ramp' });

/** A checkout that swaps: crypto in, other crypto out, no tabs. */
export const GateSwap = (props: FlowCheckoutProps): ReactElement =>
  createElement(RampCheckout, { ...props, flow: 'swap' });
