/** What the engine imports of Node and of undici besides its cryptography. */
export { isDeepStrictEqual } from './deep-equal.js';

export const setTimeout = (ms: number): Promise<void> =>
  new Promise((resolve) => void globalThis.setTimeout(resolve, ms));

export const isIPv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text);
export const isIPv6 = (text: string): boolean => text.includes(':') && URL.canParse(`http://[${text}]`);
export function isIP(text: string): 0 | 4 | 6 {
  if (isIPv4(text)) return 4;
  return isIPv6(text) ? 6 : 0;
}

/** Of sockets, files and servers, which a page does not have. */
class Unavailable {
  constructor() {
    throw new Error('Not available in a browser.');
  }
}
const unavailable = (): never => {
  throw new Error('Not available in a browser.');
};

export { Unavailable as Agent, Unavailable as Client, Unavailable as Pool };
export { Unavailable as Console, Unavailable as Resolver, Unavailable as ServerResponse, Unavailable as Socket };
export { unavailable as buildConnector, unavailable as finished, unavailable as readFileSync, unavailable as request };
export { unavailable as statSync };
export const STATUS_CODES = {};
