import { GateRamp } from '@gateramp/sdk-browser';
import type { Show } from './way.js';

export const showIframe: Show = ({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, handlers }) => {
  // <shown>
  const ramp = new GateRamp({
    publishableKey,
    clientSecret,
    apiBaseUrl,
    iframeUrl,
  });
  const ready = ramp.mount('#checkout', handlers);
  // </shown>
  return { ready, leave: () => ramp.unmount() };
};
