import * as z from 'zod';
import { brandingResource, rebrand, THEMES } from '../../domain/branding/branding.js';
import { urlProblem } from '../../domain/origin/origin.js';
import { hasUnprintable, isBlank } from '../../domain/text/printable.js';
import { T0 } from '../examples.js';
import { oneOf, optional, parseUrl, pattern, text } from '../schema/fields.js';
import { time, wireType } from '../schema/members.js';
import { camelCased, jsonBody } from '../schema/request.js';

/** Shown to the public in both modes, so it must be https without credentials. */
const webUrl = text(2048).refine((value) => urlProblem(parseUrl(value), 'live') === null, {
  message: 'must be an absolute https URL without a user name or password',
  params: { code: 'invalid_url' },
});

/** Shown to buyers and in operators' terminals. */
const displayName = text(60, 1)
  .refine((value) => !hasUnprintable(value), {
    message: 'must not contain control or format characters',
    params: { code: 'invalid_format' },
  })
  .refine((value) => !isBlank(value), {
    message: 'must contain something visible',
    params: { code: 'invalid_format' },
  });

const fields = z.strictObject({
  display_name: optional(displayName),
  logo_url: optional(webUrl),
  accent_color: optional(pattern(/^#[0-9A-Fa-f]{6}$/, 'must be a colour such as #1a2b3c')),
  theme: optional(oneOf(THEMES)),
  support_url: optional(webUrl),
});

const EXAMPLE = {
  display_name: 'Acme',
  logo_url: 'https://shop.example/logo.svg',
  accent_color: '#1a2b3c',
  theme: 'dark',
  support_url: 'https://shop.example/help',
} as const;

export const UPDATE_BRANDING_BODY = jsonBody('UpdateBranding', fields, {
  description: 'Branding fields to change. An omitted field is unchanged; null clears it.',
  example: EXAMPLE,
  to: camelCased,
});

/** The members without a name, for responses that contain a branding. */
export const brandingMembers = z.object({
  object: z.literal('branding'),
  display_name: z.string().nullable(),
  logo_url: z.string().nullable(),
  accent_color: z.string().nullable(),
  theme: z.enum(THEMES).nullable(),
  support_url: z.string().nullable(),
  updated_at: time.nullable(),
});

export const BRANDING = wireType('Branding', brandingMembers, {
  description: 'Branding of the checkout in one mode. Fields that were never set are null.',
  example: brandingResource(rebrand(null, { partnerId: 'prt_acme', mode: 'test' }, camelCased(EXAMPLE), T0)),
});
