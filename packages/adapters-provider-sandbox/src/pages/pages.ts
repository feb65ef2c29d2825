import { keyedDigest, sameDigest } from '../digest.js';

/** Addresses and secrets of the pages that simulate an issuer and a wallet. They authorize decisions for the buyer of an operation. */
export interface Pages {
  authenticationUrl(operationId: string): string;
  readonly componentUrl: string;
  clientSecret(operationId: string): string;
  /** The operation that a mark of `authenticationUrl` or a client secret belongs to; null for any other text. */
  operationOf(mark: string): string | null;
}

/** A placeholder that leads nowhere, used if no pages are served. */
export const UNSERVED_PAGES = 'https://sandbox.example';

/** The paths of the pages, relative to the address of the API. */
export const PATHS = {
  authenticate: '/sandbox/authenticate/',
  component: '/sandbox/component',
  script: '/sandbox/component.js',
  style: '/sandbox/style.css',
} as const;

export function pagesAt(url: string, key: string): Pages {
  const base = url.replace(/\/$/, '');
  const markOf = (operationId: string): string => `${operationId}.${keyedDigest(key, operationId)}`;
  return {
    authenticationUrl: (operationId) => `${base}${PATHS.authenticate}${markOf(operationId)}`,
    componentUrl: `${base}${PATHS.component}`,
    clientSecret: (operationId) => `sbx_secret_${markOf(operationId)}`,
    operationOf: (mark) => {
      const [operationId, digest, ...rest] = mark.replace(/^sbx_secret_/, '').split('.');
      if (operationId === undefined || digest === undefined || rest.length > 0) return null;
      return sameDigest(digest, keyedDigest(key, operationId)) ? operationId : null;
    },
  };
}
