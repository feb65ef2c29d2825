import { DAY } from '../../domain/instant.js';
import type { ExecutableQuote } from '../../domain/quote/executable-quote.js';
import type { DocumentKind } from '../documents/document-kind.js';

/** Executable quotes. One that was used is kept as long as the payment that refers to it; any other for a short time only. */
export const quoteKind: DocumentKind<ExecutableQuote> = {
  noun: 'quote',
  keepUntilOf: ({ usedBy, expiresAt }) => (usedBy === null ? expiresAt + UNUSED_KEPT : null),
};

const UNUSED_KEPT = DAY;
