import * as sdk from '@gateramp/sdk-react';
import { StrictMode, version, type ReactElement } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';

import type { Call } from './shop.js';

type Props = sdk.RampCheckoutProps & { readonly isStrict?: boolean };
type Component = 'RampCheckout' | 'GateCheckout' | 'GateOnRamp' | 'GateOffRamp' | 'GateSwap';

let root: Root | null = null;

/** A shop written in React. Each rendering has its own handlers, which record their calls with the number of the rendering. */
const reactShop = {
  version,
  calls: [] as Call[],

  render(props: Props, component: Component = 'RampCheckout', rendering = 1): void {
    root ??= createRoot(container());
    root.render(element(props, component, rendering));
  },

  hydrate(props: Props): void {
    root = hydrateRoot(container(), element(props, 'RampCheckout', 1));
  },

  unmount(): void {
    root?.unmount();
    root = null;
  },
};

function container(): Element {
  const found = document.querySelector('#checkout');
  if (found === null) throw new Error('The page has no #checkout.');
  return found;
}

function element({ isStrict = false, ...props }: Props, component: Component, rendering: number): ReactElement {
  const Checkout = sdk[component];
  const write = (name: string) => (payload: unknown) => {
    reactShop.calls.push([`${name} ${rendering}`, payload instanceof Error ? payload.name : payload]);
  };
  const checkout = (
    <Checkout
      onReady={write('onReady')}
      onSuccess={write('onSuccess')}
      onError={write('onError')}
      onClose={write('onClose')}
      onUnavailable={write('onUnavailable')}
      onMountError={write('onMountError')}
      {...props}
    />
  );
  return isStrict ? <StrictMode>{checkout}</StrictMode> : checkout;
}

declare global {
  // A global of the page, for the scripts of the tests.
  var reactShop: ReactShopScript;
}
export type ReactShopScript = typeof reactShop;

globalThis.reactShop = reactShop;
