import { TEST_KEYS, type TestGate, type TestResponse } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { crashAt, type Timing } from './crash-at.js';
import { firstOf } from './crash-everywhere.js';
import { inMemory, type Ground, type Grounds } from './ground.js';

const POOL = 'pool_usdc_eur';
const GOOD = `0x${'0'.repeat(38)}aa`;
const BLOCKED = `0x${'0'.repeat(32)}dead0001`;
const key = TEST_KEYS.secret.live;

type Recovery = 'worker first' | 'client first';

/** A partner's server, which outlives every process. Unanswered requests are sent again with the same body and key. */
class Client {
  private readonly answers = new Map<string, TestResponse>();

  constructor(
    public t: TestGate,
    private readonly destAddress: string,
  ) {}

  /** Quotes and executes until a trade was answered; expired quotes are requested again. */
  async trade(): Promise<void> {
    for (let nth = 0; nth < QUOTES_MAX; nth += 1) {
      const quote = await this.once(`quote-${nth}`, 'quote', {
        side: 'on_ramp',
        asset: 'USDC',
        network: 'base',
        amount: '100.00',
        currency: 'EUR',
        destAddress: this.destAddress,
      });
      expect(quote.status, quote.text).toBe(201);
      const body = { quoteId: quote.json['quoteId'], destAddress: this.destAddress };
      const done = await this.once(`trade-${nth}`, 'transact', body);
      if (done.json['code'] === 'quote_expired') continue;
      expect(done.status, done.text).toBe(201);
      return settled(this.t);
    }
    throw new Error('Every quote runs out.');
  }

  private async once(name: string, action: string, body: unknown): Promise<TestResponse> {
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const sent = { product: 'pools', key, idempotencyKey: name, body } as const;
    const answer = await this.t.request('POST', `/v1/pools/${POOL}/${action}`, sent);
    this.answers.set(name, answer);
    return answer;
  }
}

const QUOTES_MAX = 3;

/** Runs due work, including work that becomes due during a settlement. */
async function settled(t: TestGate): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await t.gate.runDue();
    await t.clock.advanceTo(t.clock.now('live') + 31_000);
  }
}

const STORIES = { 'a trade that is carried out': GOOD, 'a trade that cannot be carried out': BLOCKED };

/** Runs each trade once per call of its process, with a crash at that call. */
export function crashTrades({ make, every }: Grounds = inMemory): void {
  describe.each(Object.entries(STORIES))('after a crash between any two awaits of %s', (_, destAddress) => {
    it.each<[Timing, Recovery]>([
      ['before', 'worker first'],
      ['after', 'worker first'],
      ['before', 'client first'],
      ['after', 'client first'],
    ])(
      'nothing stays reserved, nothing is doubled and it ends once: died %s the call, %s',
      async (timing, recovery) => {
        const isCrashed = async (n: number): Promise<boolean> => {
          const ground = await make();
          try {
            return await crashedAt(ground, n, destAddress, timing, recovery);
          } finally {
            await ground.close();
          }
        };
        let crashes = 0;
        for (let n = firstOf(every, timing, recovery); await isCrashed(n); n += every) crashes = n;
        expect(crashes).toBeGreaterThan(Math.max(0, 16 - every));
      },
    );
  });
}

const SURVIVED = 'survived';

/** One run with a crash at the n-th call; false if it ended before. */
async function crashedAt(
  { t: before, nextStore }: Ground,
  n: number,
  destAddress: string,
  timing: Timing,
  recovery: Recovery,
): Promise<boolean> {
  await openPool(before);
  const mortal = crashAt(n, timing, before.ports);
  const client = new Client(before.restart(mortal.ports), destAddress);
  const fate = await Promise.race([client.trade().then(() => SURVIVED), mortal.died]);
  try {
    client.t = before.restart({ store: await nextStore() });
    if (fate !== SURVIVED && recovery === 'worker first') await settled(client.t);
    await client.trade();
    await settled(client.t);
    await expectWhole(client.t, destAddress === GOOD);
    return fate !== SURVIVED;
  } catch (error) {
    throw new Error(`After dying ${timing} call ${n} (${fate}): ${String(error)}`, { cause: error });
  }
}

async function openPool({ gate, partner }: TestGate): Promise<void> {
  const terms = { id: POOL, asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  await gate.admin.savePool(partner.id, terms);
  for (const currency of ['EUR', 'USDC'])
    await gate.admin.movePoolBalance(partner.id, { poolId: POOL, currency, amount: '1000', reference: 'opening' });
}

async function expectWhole(t: TestGate, isGood: boolean): Promise<void> {
  const caller = { partnerId: t.partner.id, mode: 'live' as const };
  const { data: trades } = (await t.gate.pools.trades(caller))._unsafeUnwrap();
  expect(trades.map(({ status }) => status)).toEqual([isGood ? 'completed' : 'failed']);
  const { balances } = (await t.gate.pools.balance(caller, POOL))._unsafeUnwrap();
  const eur = isGood ? '900' : '1000';
  const usdc = isGood ? '891.847827' : '1000';
  expect(balances).toEqual([
    { currency: 'USDC', total: usdc, available: usdc, reserved: '0' },
    { currency: 'EUR', total: eur, available: eur, reserved: '0' },
  ]);
  const moved = await t.ledger.effects(`op_${trades[0]?.transactId ?? ''}`, t.clock.now('live'));
  expect(moved.map(({ kind }) => kind)).toEqual(isGood ? ['charge', 'delivery'] : []);
  expect(await t.store.nextDue('live')).toBeNull();
  expect(t.telemetry.alarms).toEqual([]);
  expect(t.telemetry.failures).toEqual([]);
}
