import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Texts that this installation signed for a purpose, valid for a time. They let a sign-in that has only begun be kept by the browser, so
 * that strangers who begin many cost no storage. Every process of an installation has the same key.
 */
export interface SignedTexts {
  sign(purpose: string, text: string, forMs: number): string;
  /** The text; null if it was not signed for this purpose, or its time is over. */
  open(purpose: string, signed: string): string | null;
  /** A random challenge, which is signed itself. */
  challenge(purpose: string, forMs: number): string;
}

/** @param key any text that only this installation knows @param now in milliseconds */
export function signedTexts(key: string, now: () => number): SignedTexts {
  const mac = (purpose: string, rest: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, rest]))
      .digest();
  const sign = (purpose: string, text: string, forMs: number): string => {
    const rest = `${now() + forMs}.${Buffer.from(text).toString('base64url')}`;
    return `${rest}.${mac(purpose, rest).toString('base64url')}`;
  };
  return {
    sign,
    open: (purpose, signed) => {
      const [, rest = '', until, text, given = ''] = /^((\d{1,16})\.([\w-]*))\.([\w-]{43})$/.exec(signed) ?? [];
      if (text === undefined || !timingSafeEqual(mac(purpose, rest), Buffer.alloc(32, given, 'base64url'))) return null;
      return now() > Number(until) ? null : Buffer.from(text, 'base64url').toString();
    },
    challenge: (purpose, forMs) => sign(purpose, randomBytes(18).toString('base64url'), forMs),
  };
}
