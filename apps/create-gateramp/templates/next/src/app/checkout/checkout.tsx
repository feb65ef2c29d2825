'use client';

import { GateOnRamp } from '@gateramp/sdk-react';
import { useEffect, useState, type ReactNode } from 'react';

interface CheckoutProps {
  readonly publishableKey: string;
  readonly apiBaseUrl: string;
  readonly iframeUrl: string;
}

/** Mounts the checkout of the session whose secret is in the address, which only the browser knows. */
export function Checkout(props: CheckoutProps): ReactNode {
  const [clientSecret, setClientSecret] = useState<string | null>(null);
  useEffect(() => setClientSecret(new URLSearchParams(location.hash.slice(1)).get('client_secret')), []);
  return clientSecret === null ? null : <GateOnRamp {...props} clientSecret={clientSecret} height="auto" />;
}
