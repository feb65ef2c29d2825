import { GateRamp } from '@gateramp/sdk-browser';
import type { Show } from './way.js';

export const showIframe: Show = ({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, handlers }) => {
  // <shown>
  const ramp = new GateRamp({
    publishableKey,
    clientSecret,
    apiBaseUrl,
    iframeUrl,
    height: 'auto',
    redirectOnSuccess: 'never', // this page shows the outcome itself
  });
  const ready = ramp.mount('#checkout', handlers);
  // </shown>
  return { ready, leave: () => ramp.unmount() };
};
