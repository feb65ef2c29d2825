import { describe, expect, it } from 'vitest';
import type { Timers } from '../../../src/runtime/index.js';
import { LOOKUP_LIMITS, type LookupLimits, NameLookups } from '../../../src/runtime/webhook/name-lookups.js';

interface Asked {
  readonly hostname: string;
  readonly signal: AbortSignal;
  readonly answer: (addresses: readonly string[]) => void;
}

/** Look-ups whose answers and timing the test controls. */
function scene(limits: Partial<LookupLimits> = {}) {
  const asked: Asked[] = [];
  let alarms: { readonly run: () => void; readonly at: number }[] = [];
  let now = 0;
  const timers: Timers = {
    now: () => now,
    setTimeout(run, delayMs) {
      alarms.push({ run, at: now + delayMs });
      return 0;
    },
    clearTimeout: () => undefined,
  };
  const ask = (hostname: string, signal: AbortSignal): Promise<readonly string[]> =>
    new Promise((answer) => asked.push({ hostname, signal, answer }));
  const lookups = new NameLookups(ask, { ...LOOKUP_LIMITS, ...limits }, timers);
  return {
    asked,
    names: () => asked.map(({ hostname }) => hostname),
    running: () => asked.filter(({ signal }) => !signal.aborted).map(({ hostname }) => hostname),
    subscribe: (hostname: string, partnerId = 'p1') => {
      const subscription = lookups.subscribe(hostname, partnerId);
      const answer = lookups.resolve(hostname).catch(() => 'none' as const);
      return { isPending: () => subscription.isPending(), end: () => subscription.end(), answer };
    },
    async pass(ms: number): Promise<void> {
      await aTurn();
      now += ms;
      const due = alarms.filter(({ at }) => at <= now);
      alarms = alarms.filter(({ at }) => at > now);
      for (const { run } of due) run();
      await aTurn();
    },
  };
}

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a look-up of a name', () => {
  it('is shared by all concurrent callers', async () => {
    const { asked, names, subscribe } = scene();
    const all = ['p1', 'p1', 'p2'].map((partnerId) => subscribe('a.example', partnerId));
    asked[0]?.answer(['192.0.2.1']);
    expect(await Promise.all(all.map(({ answer }) => answer))).toEqual([['192.0.2.1'], ['192.0.2.1'], ['192.0.2.1']]);
    expect(names()).toEqual(['a.example']);
  });

  it('is cancelled when its last caller is gone, and not before', async () => {
    const { running, subscribe } = scene();
    const [one, other] = [subscribe('a.example'), subscribe('a.example', 'p2')];
    one.end();
    one.end();
    expect(running()).toEqual(['a.example']);
    other.end();
    expect(running()).toEqual([]);
    expect(await other.answer).toBe('none');
  });

  it('that was cancelled caches nothing: the name is looked up again', async () => {
    const { asked, names, subscribe } = scene();
    subscribe('a.example').end();
    const again = subscribe('a.example');
    await aTurn();
    asked[0]?.answer([]);
    asked[1]?.answer(['192.0.2.1']);
    expect(await again.answer).toEqual(['192.0.2.1']);
    expect(names()).toEqual(['a.example', 'a.example']);
  });

  it('times out without an answer', async () => {
    const { running, subscribe, pass } = scene({ timeoutMs: 5_000 });
    const { answer, isPending } = subscribe('dead.example');
    expect(isPending()).toBe(true);
    await pass(5_000);
    expect([await answer, isPending(), running()]).toEqual(['none', false, []]);
  });

  it('caches answers and failures for their configured times', async () => {
    const { asked, names, subscribe, pass } = scene({ keptMs: 3_000, failureKeptMs: 10_000 });
    subscribe('good.example');
    subscribe('bad.example');
    asked[0]?.answer(['192.0.2.1']);
    asked[1]?.answer([]);
    await pass(2_999);
    expect([await subscribe('good.example').answer, await subscribe('bad.example').answer]).toEqual([
      ['192.0.2.1'],
      [],
    ]);
    await pass(1);
    subscribe('good.example');
    await pass(6_999);
    expect(await subscribe('bad.example').answer).toEqual([]);
    await pass(1);
    subscribe('bad.example');
    expect(names()).toEqual(['good.example', 'bad.example', 'good.example', 'bad.example']);
  });
});

describe('the number of look-ups', () => {
  it('per partner is limited; others continue, and its own follow as slots become free', async () => {
    const { asked, running, subscribe, pass } = scene({ perPartnerMax: 2 });
    const dead = Array.from({ length: 5 }, (_, n) => subscribe(`dead${n}.example`));
    const live = subscribe('live.example', 'p2');
    expect(running()).toEqual(['dead0.example', 'dead1.example', 'live.example']);
    asked[2]?.answer(['192.0.2.1']);
    expect(await live.answer).toEqual(['192.0.2.1']);
    expect(dead[4]?.isPending()).toBe(true);
    await pass(LOOKUP_LIMITS.timeoutMs);
    expect(running()).toEqual(['dead2.example', 'dead3.example']);
  });

  it('of one partner does not delay a name that another partner needs too', () => {
    const { running, subscribe } = scene({ perPartnerMax: 1 });
    subscribe('dead.example');
    subscribe('shared.example');
    expect(running()).toEqual(['dead.example']);
    subscribe('shared.example', 'p3');
    expect(running()).toEqual(['dead.example', 'shared.example']);
  });

  it('in total is limited, and its second half is for partners without any', async () => {
    const { running, subscribe, pass } = scene({ inFlightMax: 4, perPartnerMax: 4 });
    for (let n = 0; n < 4; n += 1) subscribe(`dead${n}.example`);
    expect(running()).toHaveLength(2);
    for (const partnerId of ['p2', 'p3', 'p4']) subscribe(`${partnerId}.example`, partnerId);
    expect(running()).toEqual(['dead0.example', 'dead1.example', 'p2.example', 'p3.example']);
    await pass(LOOKUP_LIMITS.timeoutMs);
    expect(running()).toEqual(['p4.example', 'dead2.example']);
  });

  it('does not include callers that left while they waited', async () => {
    const { names, subscribe, pass } = scene({ perPartnerMax: 1 });
    subscribe('dead.example');
    const waiting = subscribe('late.example');
    waiting.end();
    expect(await waiting.answer).toBe('none');
    await pass(LOOKUP_LIMITS.timeoutMs);
    expect(names()).toEqual(['dead.example']);
  });
});
