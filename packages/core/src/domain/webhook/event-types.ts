/** Every type of event there is, as webhooks and consumers know them. */
export const EVENT_TYPES = [
  'gate_session.created',
  'gate_session.kyc_package_accepted',
  'gate_session.processing',
  'gate_session.completed',
  'gate_session.failed',
  'gate_session.cancelled',
  'gate_session.expired',
  'kyc.required',
  'transaction.updated',
  'partner.quota.warning',
  'partner.quota.exhausted',
  'pay_in.updated',
  'pay_out.updated',
  'webhook.test',
] as const;
