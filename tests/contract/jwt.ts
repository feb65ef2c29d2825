import { type Members, membersOf } from './kit.js';

/** The header of a JWT, unverified. */
export function headerOf(token: string): Members {
  return part(token, 0);
}

/** The claims of a JWT, unverified. */
export function claimsOf(token: string): Members {
  return part(token, 1);
}

/** The same token with other claims and its old signature. */
export function withClaims(token: string, claims: Members): string {
  const [header, , signature] = token.split('.');
  return [header, encode(claims), signature].join('.');
}

/** The same token with another header and its old signature. */
export function withHeader(token: string, header: Members): string {
  const [, claims, signature] = token.split('.');
  return [encode(header), claims, signature].join('.');
}

/** A token with `alg: none`, which a careless verifier would accept. */
export function unsigned(token: string): string {
  return [encode({ ...headerOf(token), alg: 'none' }), token.split('.')[1], ''].join('.');
}

/** The same signature in another encoding: with unused bits set in its last character. */
export function withStrayBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) + 1);
}

function part(token: string, index: number): Members {
  return membersOf(JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8')));
}

function encode(value: Members): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
