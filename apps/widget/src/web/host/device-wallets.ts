import type { Wallet } from '../wire/types.js';

/**
 * The wallets that this device may support. Apple Pay has an API to ask. Google Pay is assumed in Chromium browsers, and its component
 * makes the final decision. The test wallet is a page that every device can show.
 */
export function deviceWallets(self: Window): readonly Wallet[] {
  const hasGooglePay = 'PaymentRequest' in self && self.navigator.userAgent.includes('Chrome/');
  const own: readonly Wallet[] = hasApplePay(self) ? ['apple_pay'] : hasGooglePay ? ['google_pay'] : [];
  return [...own, 'sandbox_pay'];
}

function hasApplePay(self: Window): boolean {
  const session: unknown = 'ApplePaySession' in self ? self.ApplePaySession : null;
  try {
    return isApplePay(session) && session.canMakePayments();
  } catch {
    // `canMakePayments` throws on an insecure page and in a frame without the permission to pay.
    return false;
  }
}

function isApplePay(value: unknown): value is { canMakePayments(): boolean } {
  return typeof value === 'function' && 'canMakePayments' in value && typeof value.canMakePayments === 'function';
}
