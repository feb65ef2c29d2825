import { updateBranding } from '../../application/branding/update-branding.js';
import { brandingResource } from '../../domain/branding/branding.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { BRANDING, UPDATE_BRANDING_BODY } from './branding-schemas.js';

export const updateBrandingEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'updateBranding',
  path: '/v1/branding',
  summary: 'Update the branding of this mode',
  limits: GLOBAL_TIERS,
  body: UPDATE_BRANDING_BODY,
  reply: BRANDING,
  refusals: KEY_REFUSALS,
  run: async ({ engine, caller, body, keyed, answer }) => {
    const done = await updateBranding(engine, caller.scope, body, keyed(brandingResource));
    return done.map((answered) => answer(answered, brandingResource));
  },
});
