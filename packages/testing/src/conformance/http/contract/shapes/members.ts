/** Member lists of every resource, in the order they are sent (spec: Resources; `docs/spec-notes.md`). */
export const MEMBERS = {
  gate_session: [
    'id', 'object', 'partner_id', 'mode', 'flow', 'amount', 'currency', 'target_token', 'target_network', 'return_url', 'cancel_url',
    'wallet_address', 'user_reference', 'kyc_pre_verified', 'status', 'expires_at', 'created_at', 'metadata',
  ],
  embed_bootstrap: [
    'object', 'available', 'unavailable_reason', 'mode', 'embed_token', 'expires_at', 'expires_in', 'flow', 'partner', 'session', 'capabilities', 'branding',
  ],
  bootstrap_session: [
    'id', 'status', 'amount', 'currency', 'target_token', 'target_network', 'wallet_address', 'return_url', 'cancel_url', 'expires_at',
  ],
  gate_intent: [
    'id', 'object', 'session_id', 'flow', 'status', 'amount', 'currency', 'source_token', 'source_network', 'target_token', 'target_network',
    'wallet_address', 'payment_method', 'quote_id', 'next_action', 'failure', 'attempt', 'tx_refid', 'created_at', 'updated_at', 'expires_at',
  ],
  transaction: [
    'id', 'refid', 'object', 'session_id', 'intent_id', 'partner_id', 'mode', 'flow', 'status', 'source', 'destination', 'exchange_rate', 'fees', 'fee_total',
    'payment_method', 'country_code', 'wallet_address', 'tx_hash', 'user_reference', 'metadata', 'stages', 'failure', 'settled_after_close',
    'created_at', 'updated_at', 'completed_at',
  ],
  quote: [
    'object', 'id', 'payment_method', 'available', 'unavailable_reason', 'source', 'destination', 'exchange_rate', 'source_subtotal', 'source_total',
    'fees', 'fee_total', 'limits', 'estimated_settlement_seconds', 'expires_at',
  ],
  side: ['amount', 'currency', 'network'],
  fee: ['type', 'amount', 'currency'],
  failure: ['code', 'stage', 'message', 'retryable'],
  list: ['object', 'data', 'has_more', 'url'],
  test_clock: ['object', 'now', 'fired'],
} as const;

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const OBJECT_ID = /^[0-9a-f]{24}$/;
export const REFID = /^gtx_[0-9a-z]{20}$/i;
export const DECIMAL = /^\d+(\.\d+)?$/;
