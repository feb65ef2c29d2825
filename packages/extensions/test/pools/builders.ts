import type { PoolQuoteRequest } from '../../src/pools/pool-quote.js';
import type { Pool } from '../../src/pools/pool.js';

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

export function aPool(parts: Partial<Pool> = {}): Pool {
  return {
    partnerId: 'p',
    mode: 'live',
    id: 'pool_usdc_eur',
    version: 1,
    asset: 'USDC',
    network: 'base',
    currency: 'EUR',
    spreadBps: 30,
    feeBps: 20,
    createdAt: 0,
    ...parts,
  };
}

export function aPoolRequest(parts: Partial<PoolQuoteRequest> = {}): PoolQuoteRequest {
  return {
    side: 'on_ramp',
    asset: 'USDC',
    network: 'base',
    amount: '100.00',
    currency: 'EUR',
    destAddress: WALLET,
    ...parts,
  };
}
