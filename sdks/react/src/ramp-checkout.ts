import { GateRamp, MountError, type GateRampConfig, type GateRampHandlers } from '@gateramp/sdk-browser';
import { createElement, useEffect, useRef, useState, type CSSProperties, type ReactElement } from 'react';

/** The options of `GateRamp` and its handlers, as props. */
export interface RampCheckoutProps extends GateRampConfig, GateRampHandlers {
  /** Called with errors of `new GateRamp` and `mount`. Without it they are unhandled rejections. */
  readonly onMountError?: ((error: Error) => void) | undefined;
  readonly className?: string | undefined;
  readonly style?: CSSProperties | undefined;
}

const HEIGHT_PX = 600;

/**
 * The checkout in its own `div`. It is remounted when one of these changes: key, secret, environment, addresses, theme, target, return
 * address, redirect, flow, country, heights, locale or permissions. Handlers may change on every render; the latest are called.
 */
export function RampCheckout(props: RampCheckoutProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const [isMounted, setMounted] = useState(false);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => (box.current === null ? undefined : open(box.current, latest, setMounted)), identityOf(props));
  const { className, style, height } = props;
  // Reserves space for the frame until it has its own height.
  const minHeight = height !== 'auto' ? (height ?? HEIGHT_PX) : isMounted ? undefined : HEIGHT_PX;
  return createElement('div', { ref: box, className, style: { minHeight, ...style } });
}

/** The dependencies of the effect; React requires a constant number of them. */
function identityOf(props: RampCheckoutProps): readonly unknown[] {
  const { publishableKey, clientSecret, environment, apiBaseUrl, iframeUrl, theme, targetToken, targetNetwork } = props;
  const { returnUrl, redirectOnSuccess, flow, countryCode, height, maxHeight, locale, permissions } = props;
  return [
    ...[publishableKey, clientSecret, environment, apiBaseUrl, iframeUrl, theme, targetToken, targetNetwork],
    ...[returnUrl, redirectOnSuccess, flow, countryCode, height, maxHeight, locale, permissions?.join()],
  ];
}

/**
 * Returns a function that closes the checkout. A checkout that is closed in the turn it was opened in, as in StrictMode, sends no request.
 */
function open(
  box: HTMLElement,
  latest: { readonly current: RampCheckoutProps },
  onMounted: (isMounted: boolean) => void,
): () => void {
  let close = (): void => undefined;
  const mount = async (): Promise<void> => {
    const ramp = new GateRamp(latest.current);
    close = () => ramp.unmount();
    await ramp.mount(box, {
      onReady: (ready) => latest.current.onReady?.(ready),
      onSuccess: (success) => latest.current.onSuccess?.(success),
      onError: (failure) => latest.current.onError?.(failure),
      onClose: (reason) => latest.current.onClose?.(reason),
      onUnavailable: (unavailable) => latest.current.onUnavailable?.(unavailable),
    });
    onMounted(true);
  };
  mount().catch((error: unknown) => {
    // Only this component unmounts it, so the error is ignored.
    if (error instanceof MountError && error.code === 'aborted') return;
    const { onMountError } = latest.current;
    if (onMountError === undefined || !(error instanceof Error)) throw error;
    onMountError(error);
  });
  return () => close();
}
