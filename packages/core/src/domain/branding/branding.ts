import { isoTime, type Instant } from '../instant.js';
import { toJsonText } from '../json.js';
import type { Scope } from '../mode.js';

/** The looks a widget has. */
export const THEMES = ['light', 'dark'] as const;

/** One of `THEMES`. */
export type Theme = (typeof THEMES)[number];

/** How a partner's checkout looks in one mode, so that what is tried out in test mode never changes the live checkout. */
export interface Branding extends Scope, Look {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What a partner may set; null where it leaves the choice to the checkout. */
export interface Look {
  readonly displayName: string | null;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly theme: Theme | null;
  readonly supportUrl: string | null;
}

/** There is one of a partner and mode. */
export const BRANDING_ID = 'branding';

/** Null clears; what is left out stays. */
export type BrandingUpdate = { readonly [Name in keyof Look]?: Look[Name] | undefined };

/** Of a partner that has set nothing. */
export const PLAIN_LOOK: Look = { displayName: null, logoUrl: null, accentColor: null, theme: null, supportUrl: null };

/** The branding with `changes` made to it; the very same one when they change nothing. */
export function rebrand(before: Branding | null, scope: Scope, changes: BrandingUpdate, now: Instant): Branding | null {
  const look = { ...PLAIN_LOOK, ...before };
  const next: Look = {
    displayName: changed(changes.displayName, look.displayName),
    logoUrl: changed(changes.logoUrl, look.logoUrl),
    accentColor: changed(changes.accentColor, look.accentColor),
    theme: changed(changes.theme, look.theme),
    supportUrl: changed(changes.supportUrl, look.supportUrl),
  };
  const isSame = Object.entries(next).every(([name, value]) => Object.is(look[name as keyof Look], value));
  if (isSame) return before;
  const { partnerId, mode } = scope;
  const { version, createdAt } = before ?? { version: 0, createdAt: now };
  return { partnerId, mode, id: BRANDING_ID, version, createdAt, updatedAt: now, ...next };
}

function changed<Value>(given: Value | undefined, present: Value): Value {
  return given === undefined ? present : given;
}

/** Branding as the wire shows it; text that was not given is null. */
export function brandingResource(branding: Branding | null) {
  const { displayName, logoUrl, accentColor, theme, supportUrl } = branding ?? PLAIN_LOOK;
  return toJsonText({
    object: 'branding',
    display_name: displayName,
    logo_url: logoUrl,
    accent_color: accentColor,
    theme,
    support_url: supportUrl,
    updated_at: branding === null ? null : isoTime(branding.updatedAt),
  });
}
