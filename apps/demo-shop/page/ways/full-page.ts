import { GateRamp } from '@gateramp/sdk-browser';
import type { Show } from './way.js';

export const showFullPage: Show = ({ publishableKey, clientSecret, iframeUrl }) => {
  // <shown>
  GateRamp.redirectToCheckout({
    publishableKey,
    clientSecret,
    iframeUrl,
  });
  // </shown>
  return { ready: Promise.resolve(), leave: () => undefined };
};
