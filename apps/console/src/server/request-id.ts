import { randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** In the form of the request ids of `/v1`. */
export function newRequestId(): string {
  return `req_${Array.from({ length: 24 }, () => BASE62[randomInt(BASE62.length)]).join('')}`;
}
