import { decimal, SECOND, type Failure, type Mode } from '@gateramp/core/domain';
import type {
  PoolPriceAnswer,
  PoolPriceRequest,
  PoolProvider,
  PoolTrade,
  Settlement,
} from '@gateramp/extensions/pools';
import { answerOf } from './answer.js';
import { SANDBOX_CURRENCIES, SANDBOX_TOKENS } from './corridors.js';
import { isEvmAddress } from './evm-address.js';
import { changeOperation } from './change-operation.js';
import { memorySandboxLedger, type SandboxLedger } from './ledger.js';
import { begin, newOperation, type SandboxOperation } from './operation.js';
import { pagesAt, UNSERVED_PAGES } from './pages/pages.js';
import { SETTLE_WITHIN_MS, type OperationPlan } from './plan.js';
import { SANCTIONED_WALLET_ENDING } from './screening.js';

/** The ledger of trades, and the duration of a settlement in milliseconds. */
export interface SandboxPoolsOptions {
  /** The ledger of settlements; by default in memory. */
  readonly ledger?: SandboxLedger;
  /** Milliseconds from the start of a settlement to its end, at most 60,000. */
  readonly settleDelay?: number;
  /** The modes that accept new trades. Default: both, although live trades move no real money either. */
  readonly modes?: readonly Mode[];
}

const SETTLE_DELAY = 2 * SECOND;
const RATE_DIGITS = 18;

/**
 * Pools that move no real money: they use the sandbox's fixed prices, and settlements succeed after a short delay, unless they go to
 * a wallet on the sandbox's sanctions list.
 */
export function sandboxPools(options: SandboxPoolsOptions = {}): PoolProvider {
  const ledger = options.ledger ?? memorySandboxLedger();
  const delay = options.settleDelay ?? SETTLE_DELAY;
  if (!Number.isInteger(delay) || delay < 0 || delay > SETTLE_WITHIN_MS)
    throw new Error(`settleDelay must be whole milliseconds from 0 to ${SETTLE_WITHIN_MS}.`);
  return {
    ...(options.modes === undefined ? {} : { modes: options.modes }),
    async price(request) {
      return price(request);
    },
    async settle({ trade, now }) {
      const operation = await changeOperation(ledger, trade.operationId, (known) =>
        begin(known ?? newOperation(trade.operationId, trade.mode, now), planOf(trade, delay), NO_PAGES, now),
      );
      return settlementOf(operation, now);
    },
  };
}

function price({ asset, network, currency, destAddress }: PoolPriceRequest): PoolPriceAnswer {
  const facts = SANDBOX_TOKENS[asset];
  const cost = facts?.prices[currency];
  if (facts === undefined || cost === undefined) {
    const served = `${Object.keys(SANDBOX_TOKENS).join(' and ')} for ${SANDBOX_CURRENCIES.join(' and ')}`;
    return { kind: 'refused', code: 'corridor_not_supported', message: `The sandbox sells ${served}.` };
  }
  if (!facts.networks.includes(network)) {
    const message = `${asset} does not exist on ${network}; it does on ${facts.networks.join(' and ')}.`;
    return { kind: 'refused', code: 'asset_network_mismatch', message };
  }
  if (!isEvmAddress(destAddress)) {
    const message =
      'destAddress must be 0x and 40 hexadecimal digits, and a valid EIP-55 checksum if the case is mixed.';
    return { kind: 'refused', code: 'wallet_address_invalid', message };
  }
  return {
    kind: 'price',
    price: { rate: decimal.divideSignificant('1', cost, RATE_DIGITS), decimals: facts.decimals },
  };
}

/** Like a transfer whose money has arrived: no steps, and the outgoing amount is that of the trade. */
function planOf(trade: PoolTrade, settleAfterMs: number): OperationPlan | Failure {
  if (trade.destAddress.toLowerCase().endsWith(SANCTIONED_WALLET_ENDING)) return BLOCKED;
  const { amountIn, currencyIn, amountOut, currencyOut, network, rate } = trade;
  return {
    flow: 'on_ramp',
    paymentMethod: 'bank_transfer',
    price: {
      source: { amount: amountIn, currency: currencyIn, network: null },
      destination: { amount: amountOut, currency: currencyOut, network },
      exchangeRate: rate,
      sourceSubtotal: amountIn,
      sourceTotal: amountIn,
      fees: [],
      feeTotal: '0',
    },
    steps: [],
    settleAfterMs,
    failure: null,
    returned: null,
  };
}

const BLOCKED: Failure = {
  code: 'sanctions_blocked',
  stage: 'screening',
  message: 'This wallet cannot be served.',
  retryable: false,
};

/** A trade has no buyer to redirect to a page. */
const NO_PAGES = pagesAt(UNSERVED_PAGES, 'pools');

/** Confirmations of a trade are not shown anywhere, so the next check is at its end. */
function remainingMs({ state }: SandboxOperation, now: number): number {
  return state.step === 'moving' && state.ending !== null ? state.ending.at - now : SETTLE_DELAY;
}

function settlementOf(operation: SandboxOperation, now: number): Settlement {
  const answer = answerOf(operation, now);
  switch (answer?.outcome.kind) {
    case 'processing':
      return { kind: 'processing', checkAfterMs: remainingMs(operation, now) };
    case 'succeeded':
      return { kind: 'completed', txHash: answer.details.txHash };
    case 'failed':
      return { kind: 'failed' };
    default:
      throw new Error('The sandbox holds another operation under the id of this trade.');
  }
}
