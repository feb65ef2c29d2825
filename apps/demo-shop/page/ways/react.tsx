import { GateOffRamp, GateOnRamp, GateSwap } from '@gateramp/sdk-react';
import { createRoot } from 'react-dom/client';
import { byId } from '../element.js';
import type { Show } from './way.js';

const BLOCKS = { on_ramp: GateOnRamp, off_ramp: GateOffRamp, swap: GateSwap };

export const showReact: Show = ({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, flow, handlers }) => {
  const root = createRoot(byId('checkout'));
  const ready = new Promise<void>((resolve, reject) => {
    const { onReady, onUnavailable } = handlers;
    const callbacks = {
      ...handlers,
      onReady: (shown: object) => (resolve(), onReady?.(shown)),
      onUnavailable: (why: Parameters<NonNullable<typeof onUnavailable>>[0]) => (resolve(), onUnavailable?.(why)),
      onMountError: reject,
    };
    // <shown>
    const Block = BLOCKS[flow ?? 'on_ramp'];
    root.render(
      <Block
        publishableKey={publishableKey}
        clientSecret={clientSecret}
        apiBaseUrl={apiBaseUrl}
        iframeUrl={iframeUrl}
        redirectOnSuccess="never"
        {...callbacks}
      />,
    );
    // </shown>
  });
  return { ready, leave: () => root.unmount() };
};
