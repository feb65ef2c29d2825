import { ok } from 'neverthrow';
import { retrieveBranding, updateBranding } from '../../application/branding.js';
import { brandingResource } from '../../domain/branding/branding.js';
import { by, endpoint } from '../endpoint.js';
import { GLOBAL_TIERS, KEY_REFUSALS, SECRET_READ, SECRET_WRITE } from '../presets.js';
import { BRANDING, UPDATE_BRANDING_BODY } from './schemas.js';

export const retrieveBrandingEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveBranding',
  scope: 'branding:read',
  path: '/v1/branding',
  summary: 'Retrieve the branding of this mode',
  limits: GLOBAL_TIERS,
  reply: BRANDING,
  refusals: [],
  run: async ({ engine, caller }) => ok(brandingResource(await retrieveBranding(engine, caller.scope))),
});

export const updateBrandingEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'updateBranding',
  scope: 'branding:write',
  path: '/v1/branding',
  summary: 'Update the branding of this mode',
  limits: GLOBAL_TIERS,
  body: UPDATE_BRANDING_BODY,
  reply: BRANDING,
  refusals: KEY_REFUSALS,
  run: async ({ engine, caller, requestId, body, keyed, answer }) => {
    const done = await updateBranding(engine, caller.scope, body, by(caller, requestId), keyed(brandingResource));
    return done.map((answered) => answer(answered, brandingResource));
  },
});
