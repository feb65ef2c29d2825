import type { EventData } from '@gateramp/sdk-node';

export const TITLE_OF_FLOW: Readonly<Record<string, string>> = { on_ramp: 'Buy', off_ramp: 'Sell', swap: 'Swap' };

/** The types that the server verifies with the SDK. */
export type EventType = keyof EventData;

/** Titles of events. Other types are shown by name. */
export const TITLE_OF_EVENT: Readonly<Record<string, string>> = {
  'gate_session.created': 'Opened',
  'gate_session.processing': 'Money is moving',
  'gate_session.completed': 'Settled',
  'gate_session.cancelled': 'Cancelled',
  'gate_session.expired': 'Expired',
  'gate_session.failed': 'Failed',
  'transaction.updated': 'Transaction updated',
  'kyc.required': 'Identity check required',
} satisfies Partial<Record<EventType, string>>;
