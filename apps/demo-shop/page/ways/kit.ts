import { createGateOffRamp, createGateOnRamp, createGateSwap } from '@gateramp/sdk-browser';
import type { Show } from './way.js';

export const showKit: Show = ({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, flow, handlers }) => {
  // <shown>
  const blocks = {
    on_ramp: createGateOnRamp,
    off_ramp: createGateOffRamp,
    swap: createGateSwap,
  };
  const block = blocks[flow ?? 'on_ramp']({
    publishableKey,
    clientSecret,
    apiBaseUrl,
    iframeUrl,
    redirectOnSuccess: 'never', // this page shows the outcome itself
  });
  const ready = block.mount('#checkout', handlers);
  // </shown>
  return { ready, leave: () => block.unmount() };
};
