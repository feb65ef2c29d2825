import { BRANDING_ID, type Branding } from '../../domain/branding/branding.js';
import type { Scope } from '../../domain/mode.js';
import { findRow, type DocumentKind } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';

export const brandingKind: DocumentKind<Branding> = { noun: 'branding' };

/** How the caller's checkout of this mode looks; null while nothing was ever set. */
export function readBranding({ store }: Engine, scope: Scope): Promise<Branding | null> {
  return findRow(store, brandingKind, scope, BRANDING_ID);
}
