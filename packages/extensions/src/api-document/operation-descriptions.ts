/** Descriptions of operations beyond their summary, by `operationId`. Idempotency and rate limits are added from the endpoint table. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  createSession:
    'Binds amount, currency and the other terms. No later call can change them. Only this response contains `client_secret`.',
  listSessions: 'Reading a list expires sessions that are past their deadline, so `status=open` never shows one.',
  retrieveSession: 'Expires the session first if it is past its deadline.',
  cancelSession:
    'Ends an open session and its live intent. A session whose money may be moving cannot be cancelled (409 `session_processing`).',
  listTimeline: 'Transitions, intents, refused attempts, events and deliveries of one session.',
  bootstrap:
    'Called by the browser. The origin must be one of the partner’s allowed domains. With `available: false` a token is issued too, and attempts are refused.',
  retrieveEmbedSession: 'Includes what the checkout needs to render: partner, branding and capabilities.',
  cancelEmbedSession:
    'Called by the checkout after the buyer has confirmed. Has the same effect as the partner’s own cancel.',
  createQuotes: 'Quotes the bound terms for every payment method. A token without a session can read quotes as well.',
  createIntent:
    'One intent of a session can be live at a time. Terms that differ from those of the session are refused. `next_action` is the step that the provider requires next.',
  retrieveIntent:
    'Poll this while the intent is `processing`. `created` becomes `requires_action`, `processing`, `succeeded`, `failed` or `cancelled`; `requires_action` becomes another action, `processing`, `succeeded`, `failed` or `cancelled`; `processing` becomes `requires_action`, `succeeded` or `failed`. The last three are final.',
  confirmIntent:
    'Completes the `next_action` of the intent, with identity details or a one-time code, or by confirming that all documents are uploaded or the crypto was sent.',
  uploadDocument:
    'Uploads one side listed in `next_action.documents`. Send the bytes of the file itself, as JPEG, PNG, WebP or PDF, up to 10 MiB. They are passed to the provider and never stored. Another upload of a side replaces the earlier one. Confirm the action once all sides are in `received`.',
  cancelIntent: 'Possible until money may be moving. The session stays open.',
  listSavedMethods:
    'Lists the payment methods that providers store for the buyer of the session’s `user_reference`. Empty without a `user_reference`.',
  removeSavedMethod:
    'The provider deletes the payment method. Another buyer’s id gets the same response as an unknown one: 404 `payment_method_not_found`.',
  listTransactions: 'Includes the transactions of intents, pay-ins and pay-outs.',
  retrieveTransaction: 'Use it to reconcile: `refid` is the `tx_refid` of a completed session.',
  previewQuotes: 'Preview quotes show prices. Their ids cannot be used to pay.',
  createQuote: 'Creates an executable quote for a pay-in or pay-out. It can be used once, until `expires_at`.',
  retrieveQuote: 'Shows whether the quote is still open.',
  listCountries: 'A 200 also confirms that key, host and mode agree.',
  listCurrencies: 'Currencies in which prices are given, with their decimal places.',
  listAssets: 'Crypto assets and the networks on which they are available.',
  listNetworks: 'Networks and the format of their addresses.',
  listPaymentMethods: 'Payment methods with the flows and currencies they support.',
  listFlows: '`enabled` is false for a flow that the partner is not entitled to.',
  listLimits: 'Smallest and largest amount for each flow, payment method and currency.',
  listTtls: 'Lifetimes of sessions, embed tokens, quotes, required actions and idempotency keys.',
  listEvents: 'All events of this mode, whether or not they were delivered. Use it to catch up after an outage.',
  retrieveEvent: 'The same bytes as in the webhook.',
  retrieveBranding: 'Every member is null until it is set.',
  updateBranding: 'Omitted members keep their value; null clears a member.',
  testWebhook: 'Queues a `webhook.test` event. It is signed and retried like every other event.',
  listDeliveries: 'The delivery log, without response bodies.',
  retrieveDelivery: 'Includes every attempt with its response.',
  replayDeliveries: 'Replays dead-lettered deliveries that match the body, oldest first.',
  replayDelivery: 'The event keeps its id and its bytes, and gets five new attempts.',
  rotateWebhookSecret:
    'With a grace period, deliveries carry the signatures of both secrets until it ends. The new secret is shown only in this response.',
  retrieveWebhookEndpoint: 'Shows the URL, the prefix of the secret and the results of recent attempts.',
  createPayIn: 'Returns the bank account and reference for the transfer. Cards cannot be charged this way.',
  listPayIns: 'Pay-ins of this mode.',
  retrievePayIn: 'Reflects the latest report of the provider.',
  cancelPayIn: 'Possible while the pay-in is `requires_action`.',
  createPayOut: 'Returns the deposit address for the crypto. The beneficiary is redacted in all responses.',
  listPayOuts: 'Pay-outs of this mode.',
  retrievePayOut: 'Reflects the latest report of the provider.',
  cancelPayOut: 'Possible while the pay-out is `requires_action`.',
  listPools: 'Pools that the partner may trade in. The only operation of this host that accepts a publishable key.',
  quotePool: 'The price is valid for 30 seconds. Nothing is reserved.',
  transactPool:
    'Reserves both amounts in the balances of the pool. A quote that was already executed returns 200 with the same trade, whatever the key.',
  retrievePoolBalance: 'Balances of both currencies, read together.',
  listPoolTrades: 'Trades of all pools of the partner, newest first.',
  providerCallback: 'For providers only. The adapter authenticates the raw bytes; a repeated event id has no effect.',
  retrieveClock: 'The clock of the sandbox of the partner, or of test mode where the operator keeps one clock for all.',
  advanceClock:
    'Advances expiry, retries, tokens and retention of the sandbox of the partner together, and runs all work that becomes due. Neither other partners nor live mode are affected. Where the operator keeps one clock for all, an advance moves every sandbox.',
  simulate:
    'Creates or continues an intent of the session with test details. `processing` stops there until the next call; `abandon` stops at the first action.',
  simulateRails: 'Moves a pay-in or pay-out to the given outcome.',
  health: 'Returns 200 while the process serves requests. Never throttled.',
  openApi: 'The operations of this host as OpenAPI 3.1.',
  docs: 'The same document as a page without scripts. Each error code is an anchor.',
  docsStyle: 'Styles of the documentation page.',
};
