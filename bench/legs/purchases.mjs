import {
  fakeChain,
  fakeFiat,
  fixedPrices,
  fixedSpread,
  FAKE_CARDS,
  legs,
  memoryLegsStore,
} from '@gateramp/provider-legs';
import { cpuSeconds } from '../lib/cpu-time.mjs';

/** The number of concurrent purchases, which is also the number of operations that a worker takes in one round. */
const AT_ONCE = 32;
/** The start of the virtual time, in which the fake chain makes one block per second. */
const START = Date.UTC(2027, 0, 1);
const SECOND = 1_000;
const WARM_UP_SECONDS = 1;
const PAYMENT = { cardNumber: FAKE_CARDS.succeeds, expiry: '12/30', cvc: '123' };
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Purchases with provider legs: requests start them, and the worker continues them. */
export async function purchasesBySaga(open, effort) {
  const { store, close } = await open();
  const { fiat, chain, exchange } = world();
  const names = { countries: [], currencies: {}, assets: {} };
  const provider = legs({ store, fiat, chain, exchange, screening: null, identity: null, names });
  let purchases = 0;
  let now = START;
  const batch = async () => {
    const orders = Array.from({ length: AT_ONCE }, () => order((purchases += 1), now));
    await Promise.all(orders.map((one) => provider.start(one)));
    // One block per round, until the sends are confirmed.
    for (let worked = AT_ONCE; worked > 0;) worked = await provider.work('test', (now += SECOND));
    const ends = await Promise.all(orders.map((one) => provider.lookup({ ...one, now })));
    if (ends.some((end) => end?.outcome.kind !== 'succeeded')) throw new Error('A purchase was not delivered.');
  };
  const run = await measured(batch, effort);
  await close();
  return run;
}

/** The same calls of the same legs one after the other, with each result recorded in the books. */
export async function purchasesByHand(open, effort) {
  const books = await open();
  const { fiat, chain, exchange } = world();
  const pair = { asset: 'USDC', currency: 'EUR' };
  let purchases = 0;
  let now = START;
  const begin = async (id) => {
    const call = (step) => ({ callId: `${id}-${step}`, mode: 'test', now });
    const { ask } = await exchange.price(pair, now);
    const bought = (98.95 / Number(ask)).toFixed(6);
    await books.insert(id, { step: 'authorize', bought });
    const paid = { amount: '100.00', currency: 'EUR', method: 'card', reference: id, returnUrl: null };
    await fiat.authorize({ ...call('authorize'), ...paid, paymentDetails: PAYMENT });
    await books.update(id, { step: 'capture', bought }, []);
    await fiat.capture({ ...call('capture'), authorizationId: `${id}-authorize` });
    await books.update(id, { step: 'convert', bought }, [
      ['fiat', 'EUR', '100.00'],
      ['customer', 'EUR', '-100.00'],
    ]);
    const [give, take] = [
      { amount: '98.95', currency: 'EUR' },
      { amount: bought, asset: 'USDC', network: 'base' },
    ];
    await exchange.execute({ ...call('convert'), give, take });
    await books.update(id, { step: 'send', bought }, [
      ['customer', 'EUR', '100.00'],
      ['exchange', 'EUR', '-98.95'],
      ['fees', 'EUR', '-1.05'],
      ['exchange', 'USDC', bought],
      ['customer', 'USDC', `-${bought}`],
    ]);
    return send(id, bought);
  };
  const send = async (id, bought) => {
    const order = {
      callId: `${id}-send`,
      mode: 'test',
      now,
      amount: bought,
      asset: 'USDC',
      network: 'base',
      to: WALLET,
    };
    const { kind, hash, seen } = await chain.send(order);
    const isDone = kind === 'confirmed';
    const out = [
      ['customer', 'USDC', bought],
      ['chain', 'USDC', `-${bought}`],
    ];
    await books.update(id, { step: isDone ? 'done' : 'send', bought, hash, seen }, isDone ? out : []);
    return { id, bought, isDone };
  };
  const batch = async () => {
    let left = await Promise.all(Array.from({ length: AT_ONCE }, () => begin(`op${(purchases += 1)}`)));
    while (left.length > 0) {
      now += SECOND;
      const after = await Promise.all(left.map(({ id, bought }) => send(id, bought)));
      left = after.filter(({ isDone }) => !isDone);
    }
  };
  const run = await measured(batch, effort);
  await books.close();
  return run;
}

/** The legs of both sides, whose processor and chain store their state in memory. */
function world() {
  return {
    fiat: fakeFiat({ store: memoryLegsStore() }),
    chain: fakeChain(),
    exchange: fixedSpread({
      pairs: [{ asset: 'USDC', currency: 'EUR' }],
      sources: [fixedPrices({ 'USDC/EUR': '0.92' })],
      spreadBps: 50,
    }),
  };
}

async function measured(batch, { seconds, databasePid }) {
  await repeated(batch, WARM_UP_SECONDS);
  const [cpu, databaseBefore] = [process.cpuUsage(), cpuSeconds(databasePid) ?? 0];
  const times = await repeated(batch, seconds);
  const { user, system } = process.cpuUsage(cpu);
  const databaseSeconds = (cpuSeconds(databasePid) ?? 0) - databaseBefore;
  const purchases = times.length * AT_ONCE;
  const total = times.reduce((sum, time) => sum + time, 0);
  const slowest = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1];
  return {
    perSecond: (purchases / total) * 1_000,
    p99: slowest,
    cpu: {
      server: Math.round((user + system) / purchases),
      database: Math.round((databaseSeconds * 1_000_000) / purchases),
    },
  };
}

/** Repeats the batch. Returns the duration of each run in milliseconds. */
async function repeated(batch, seconds) {
  const times = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const began = performance.now();
    await batch();
    times.push(performance.now() - began);
  }
  return times;
}

function order(nth, now) {
  const intent = {
    ...{ id: `intent${nth}`, sessionId: 'session1', partnerId: 'partner1', mode: 'test', flow: 'on_ramp' },
    ...{ amount: '100.00', currency: 'EUR', paymentMethod: 'card', quoteId: null, countryCode: 'DE' },
    ...{ sourceToken: null, sourceNetwork: null, targetToken: 'USDC', targetNetwork: 'base' },
    ...{ walletAddress: WALLET, refundAddress: null },
  };
  const rest = { rails: null, kycPreVerified: false, paymentDetails: PAYMENT, payoutDetails: null };
  return { operationId: `op${nth}`, mode: 'test', now, intent, ...rest };
}
