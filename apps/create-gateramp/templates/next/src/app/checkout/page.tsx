import { type ReactNode } from 'react';
import { connection } from '../../gate.ts';
import { Checkout } from './checkout.tsx';

/** When it is requested, not when the shop is built. */
export const dynamic = 'force-dynamic';

export default async function CheckoutPage(): Promise<ReactNode> {
  const { publishableKey, apiUrl, checkoutUrl } = await connection();
  return <Checkout publishableKey={publishableKey} apiBaseUrl={apiUrl} iframeUrl={checkoutUrl} />;
}
