import type { Confirmations, Instant, SettlementDetails } from '@gateramp/core/domain';
import { digest } from './digest.js';
import type { Ending } from './ending.js';
import type { SandboxOperation } from './operation.js';

/** The number of confirmations at which a delivery of the sandbox is final. */
export const SANDBOX_CONFIRMATIONS = 3;

/** The base URL of a transaction's explorer page. There is no such chain, and no such page. */
const EXPLORER = 'https://explorer.example/tx/';

/** Crypto on its way to the buyer: sent halfway through the time, then confirmed in equal steps. */
export interface Delivery {
  readonly details: Pick<SettlementDetails, 'txHash' | 'txUrl' | 'confirmations'>;
  /** The time of the sending or the next confirmation; null if there are no more. */
  readonly nextAt: Instant | null;
}

/** The delivery of a successful operation, as of `now`. A sale delivers nothing on a chain, but its deposit has a hash. */
export function deliveryOf(operation: SandboxOperation, since: Instant, ending: Ending, now: Instant): Delivery {
  const sentAt = since + Math.ceil((ending.at - since) / 2);
  const isCounted = operation.plan?.flow !== 'off_ramp';
  if (now < sentAt || (!isCounted && now < ending.at)) {
    return { details: { txHash: null }, nextAt: isCounted ? sentAt : ending.at };
  }
  const hash = `0x${digest('transaction', operation.operationId)}`;
  const details = { txHash: hash, txUrl: `${EXPLORER}${hash}` };
  if (!isCounted) return { details, nextAt: null };
  const arrivals = Array.from({ length: SANDBOX_CONFIRMATIONS }, (_, index) =>
    confirmedAt(index + 1, sentAt, ending.at),
  );
  const confirmations: Confirmations = {
    seen: arrivals.filter((arrival) => arrival <= now).length,
    required: SANDBOX_CONFIRMATIONS,
  };
  return { details: { ...details, confirmations }, nextAt: arrivals.find((arrival) => arrival > now) ?? null };
}

function confirmedAt(count: number, sentAt: Instant, endsAt: Instant): Instant {
  return sentAt + Math.ceil(((endsAt - sentAt) * count) / SANDBOX_CONFIRMATIONS);
}
