import type { Instant } from '@gateramp/core/domain';
import type { ChainUse, ExchangePair, PriceResult } from './ports/legs.js';
import type { MarketLegs } from './route.js';
import { inTime } from './time-limits.js';

/** How long a leg may take to say whether something is available. Shorter than the time limit of a provider's answers. */
const CHECK_TIMEOUT_MS = 2_500;

/**
 * What the legs can do at one moment. Each question is asked once. A leg that answers too late or fails makes only what was asked about
 * unavailable.
 */
export interface MarketView {
  canUse(network: string, use: ChainUse): Promise<boolean>;
  /** The largest amount that can be delivered; null without a bound. */
  deliverable(network: string, asset: string): Promise<string | null>;
  isPriced(pair: ExchangePair): Promise<boolean>;
  price(pair: ExchangePair, now: Instant): Promise<PriceResult>;
}

export function marketView({ chain, exchange }: MarketLegs): MarketView {
  const answers = new Map<string, Promise<unknown>>();
  function once<Answer>(question: string, ask: () => Promise<Answer>, otherwise: Answer): Promise<Answer> {
    // The question determines the type of its answer.
    const known = answers.get(question) as Promise<Answer> | undefined;
    const answer = known ?? within(ask, otherwise);
    answers.set(question, answer);
    return answer;
  }
  return {
    canUse: (network, use) =>
      once(
        `use ${network} ${use.asset} ${use.as}`,
        async () => (await chain.unavailable(network, use)) === null,
        false,
      ),
    deliverable: (network, asset) =>
      once<string | null>(`deliverable ${network} ${asset}`, () => chain.deliverable(network, asset), '0'),
    isPriced: (pair) =>
      once(`priced ${pair.asset} ${pair.currency}`, async () => (await exchange.unavailable(pair)) === null, false),
    price: (pair, now) => once(`price ${pair.asset} ${pair.currency}`, () => exchange.price(pair, now), NO_ANSWER),
  };
}

const NO_ANSWER: PriceResult = { kind: 'unavailable', reason: 'The exchange did not answer.' };

async function within<Answer>(ask: () => Promise<Answer>, otherwise: Answer): Promise<Answer> {
  try {
    return await inTime('The leg', ask(), CHECK_TIMEOUT_MS);
  } catch {
    return otherwise;
  }
}
