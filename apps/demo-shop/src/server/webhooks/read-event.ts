/** The displayed fields of an event; null where a field is missing. */
export interface EventFields {
  readonly id: string | null;
  readonly type: string | null;
  readonly sequence: number | null;
  readonly session_id: string | null;
  /** The reference of the transaction, once the session has completed. */
  readonly tx_refid: string | null;
  /** The failure code of an attempt. */
  readonly failure_code: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly flow: string | null;
}

/** Reads an unverified event for display. Malformed fields are null. */
export function readEvent(rawBody: Uint8Array): EventFields {
  const event = parsed(rawBody);
  const data = member(event, 'data');
  const sequence = member(event, 'sequence');
  const sessionId = member(data, 'object') === 'gate_session' ? member(data, 'id') : member(data, 'session_id');
  return {
    id: shortText(member(event, 'id')),
    type: shortText(member(event, 'type')),
    sequence: typeof sequence === 'number' ? sequence : null,
    session_id: shortText(sessionId),
    tx_refid: shortText(member(data, 'tx_refid')),
    failure_code: shortText(member(member(data, 'failure'), 'code')),
    amount: shortText(member(data, 'amount')),
    currency: shortText(member(data, 'currency')),
    flow: shortText(member(data, 'flow')),
  };
}

function parsed(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(rawBody));
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // The cast is safe, since the caller checks the value.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 100) : null;
}
