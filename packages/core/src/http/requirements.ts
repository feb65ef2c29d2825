import type { Requirement } from './endpoint.js';

/** Executable quotes, pay-ins and pay-outs. */
export const RAILS_ENTITLEMENT: Requirement = {
  entitlement: 'rails',
  code: 'rails_api_not_enabled',
  message: 'The rails API is not enabled for your account.',
};
