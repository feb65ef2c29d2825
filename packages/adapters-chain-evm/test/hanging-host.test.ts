import { http } from 'viem';
import { privateKeyToAccount, toAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EVM_NETWORKS } from '../src/index.js';
import { worthOf } from '../src/gas.js';
import { signAttempt } from '../src/sign.js';
import { BUYER } from './world.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = (): Promise<never> => new Promise(() => undefined);
const network = { ...EVM_NETWORKS.base, transport: http('http://127.0.0.1:1') };

it('a key service that hangs fails the signature after 10 s', async () => {
  const key = privateKeyToAccount(`0x${'1'.repeat(64)}`);
  const account = toAccount({ ...key, signTransaction: never });
  const signed = signAttempt(
    { network, wallet: { account }, now: () => 0 },
    {
      action: { to: BUYER, value: 1n, data: '0x' },
      nonce: 0,
      gas: 21_000n,
      fee: { maxFee: 2n, tip: 1n },
      kind: 'transfer',
      block: 1,
    },
  ).catch(String);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await signed).toBe(`Error: The signer of wallet ${key.address} did not answer within 10 s.`);
});

it('an amount has no known value if the host does not answer within 3 s', async () => {
  const asset = { asset: 'USDC', token: BUYER, decimals: 6 } as const;
  const value = worthOf({ network, worth: never }, asset, 1_000_000n);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await value).toBeNull();
});
