import type { AnyEndpoint } from './endpoint.js';
import { bootstrap } from './embed/bootstrap.js';
import { cancelIntent } from './embed/cancel-intent.js';
import { confirmIntent } from './embed/confirm-intent.js';
import { createIntent } from './embed/create-intent.js';
import { createQuotes } from './embed/create-quotes.js';
import { readEmbedSession } from './embed/read-embed-session.js';
import { readIntent } from './embed/read-intent.js';
import { health } from './health.js';
import { providerCallback } from './providers/provider-callback.js';
import { cancelSession } from './sessions/cancel-session.js';
import { createSession } from './sessions/create-session.js';
import { listSessions } from './sessions/list-sessions.js';
import { retrieveSession } from './sessions/retrieve-session.js';
import { advanceClock } from './test-helpers/advance-clock.js';
import { readClock } from './test-helpers/read-clock.js';
import { simulate } from './test-helpers/simulate.js';
import { findTransaction } from './transactions/find-transaction.js';
import { listTransactions } from './transactions/list-transactions.js';

/** The endpoint table: a new endpoint is one line here. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  createSession,
  listSessions,
  retrieveSession,
  cancelSession,
  bootstrap,
  readEmbedSession,
  createQuotes,
  createIntent,
  readIntent,
  confirmIntent,
  cancelIntent,
  listTransactions,
  findTransaction,
  providerCallback,
  readClock,
  advanceClock,
  simulate,
  health,
];

/** Routes that exist only where there is a test clock; elsewhere they are as unknown as any other path. */
export const CLOCK_ENDPOINTS: readonly AnyEndpoint[] = [readClock, advanceClock];
