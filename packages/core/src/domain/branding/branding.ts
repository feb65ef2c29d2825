import { isoTime, type Instant } from '../instant.js';
import { toJsonText } from '../json.js';
import type { Scope } from '../mode.js';

/** The widget's color schemes. */
export const THEMES = ['light', 'dark'] as const;

/** One of `THEMES`. */
export type Theme = (typeof THEMES)[number];

/** A partner's checkout appearance in one mode. Kept per mode, so that trying things out in test mode never changes the live checkout. */
export interface Branding extends Scope, Look {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The fields a partner may set; null leaves the choice to the checkout. */
export interface Look {
  readonly displayName: string | null;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly theme: Theme | null;
  readonly supportUrl: string | null;
}

/** Constant id: a partner has one branding per mode. */
export const BRANDING_ID = 'branding';

/** Null clears a field; omitted fields keep their value. */
export type BrandingUpdate = { readonly [Name in keyof Look]?: Look[Name] | undefined };

/** The look of a partner that has set nothing. */
export const PLAIN_LOOK: Look = { displayName: null, logoUrl: null, accentColor: null, theme: null, supportUrl: null };

/** Returns the branding with `changes` applied, or `before` itself when nothing changes. */
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

/** The branding as a wire resource; fields that were never set are null. */
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
