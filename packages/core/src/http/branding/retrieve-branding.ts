import { ok } from 'neverthrow';
import { readBranding } from '../../application/branding/read-branding.js';
import { brandingResource } from '../../domain/branding/branding.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { BRANDING } from './branding-schemas.js';

export const retrieveBrandingEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveBranding',
  path: '/v1/branding',
  summary: 'Retrieve the branding of this mode',
  limits: GLOBAL_TIERS,
  reply: BRANDING,
  refusals: [],
  run: async ({ engine, caller }) => ok(brandingResource(await readBranding(engine, caller.scope))),
});
