import * as z from 'zod';
import { type GateBranding, THEMES } from '../../domain/branding/branding.js';
import { urlFault } from '../../domain/origin/origin.js';
import { hasUnprintable } from '../../domain/text/printable.js';
import { oneOf, optional, parseUrl, pattern, text } from '../schema/fields.js';
import { time, wireType } from '../schema/members.js';
import { jsonBody } from '../schema/request.js';

/** A checkout shows it to strangers in both modes: https, without credentials. */
const webUrl = text(2048).refine((value) => urlFault(parseUrl(value), 'live') === null, {
  message: 'must be an absolute https URL without a user name or password',
  params: { code: 'invalid_url' },
});

/** Shown to buyers and in operators' terminals. */
const displayName = text(60, 1).refine((value) => !hasUnprintable(value), {
  message: 'must not contain control or format characters',
  params: { code: 'invalid_format' },
});

const fields = z.strictObject({
  display_name: optional(displayName),
  logo_url: optional(webUrl),
  accent_color: optional(pattern(/^#[0-9A-Fa-f]{6}$/, 'must be a colour such as #1a2b3c')),
  theme: optional(oneOf(THEMES)),
  support_url: optional(webUrl),
});

/** What may be set; an absent field stays, null clears. */
export type UpdateBranding = z.input<typeof fields>;

export const UPDATE_BRANDING_BODY = jsonBody('UpdateBranding', fields, {
  description: 'Branding fields to change. An omitted field is unchanged; null clears it.',
  example: { display_name: 'Acme', accent_color: '#1a2b3c', theme: 'dark' },
  to: ({ display_name, logo_url, accent_color, theme, support_url }) => ({
    displayName: display_name,
    logoUrl: logo_url,
    accentColor: accent_color,
    theme,
    supportUrl: support_url,
  }),
});

/** The members alone, for answers that hold a branding. */
export const brandingMembers = z.object({
  object: z.literal('branding'),
  display_name: z.string().nullable(),
  logo_url: z.string().nullable(),
  accent_color: z.string().nullable(),
  theme: z.enum(THEMES).nullable(),
  support_url: z.string().nullable(),
  updated_at: time.nullable(),
});

export const BRANDING = wireType<GateBranding>()('Branding', brandingMembers, {
  description: 'Branding of the checkout in one mode. Fields that were never set are null.',
  example: {
    object: 'branding',
    display_name: 'Acme',
    logo_url: 'https://shop.example/logo.svg',
    accent_color: '#1a2b3c',
    theme: 'dark',
    support_url: 'https://shop.example/help',
    updated_at: '2030-01-01T12:00:00.000Z',
  },
});
