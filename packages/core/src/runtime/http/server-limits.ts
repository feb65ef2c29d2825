/**
 * How long a server waits for a request: its headers, and all of it. Node looks at the clocks of its connections only every
 * 30 seconds unless set otherwise, so that a limit of 15 would be one of up to 45.
 */
export const SERVER_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
} as const;
