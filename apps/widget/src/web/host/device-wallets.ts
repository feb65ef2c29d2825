import type { Wallet } from '../wire/types.js';

/**
 * Wallets that this device could pay with. Apple's own page says so; Google Pay comes with browsers made of Chromium, and its component has
 * the last word. The test wallet is a page, which any device shows.
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
    // A page that is not secure, or a frame that may not pay.
    return false;
  }
}

function isApplePay(value: unknown): value is { canMakePayments(): boolean } {
  return typeof value === 'function' && 'canMakePayments' in value && typeof value.canMakePayments === 'function';
}
