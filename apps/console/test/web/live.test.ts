import { describe, expect, it } from 'vitest';
import { streamPathOf } from '../../src/web/app/app.js';
import { readRoute } from '../../src/web/app/route.js';
import { Live, type StreamListener } from '../../src/web/host/live.js';
import { after, inside, ok, opening, operator, pathsOf, portal, refused } from './app.js';

type Opened = StreamListener & { path: string; isClosed: boolean };

function following() {
  const sources: Opened[] = [];
  const timers: { delayMs: number; run: () => void }[] = [];
  const seen: unknown[] = [];
  const byMinute: (readonly string[])[] = [];
  const state: { isSignedIn: boolean | null } = { isSignedIn: true };
  const live = new Live({
    open: (path, listener) => {
      const source: Opened = { path, isClosed: false, ...listener };
      sources.push(source);
      return () => (source.isClosed = true);
    },
    later: (run, delayMs) => {
      const timer = { delayMs, run };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
    random: () => 1,
    onChanged: (topics, pace) => (pace === 'at_once' ? seen : byMinute).push(topics),
    onOpened: () => seen.push('opened'),
    isSignedIn: async () => state.isSignedIn,
    onSignedOut: () => seen.push('signed out'),
  });
  const open = () => sources.filter(({ isClosed }) => !isClosed).map(({ path }) => path);
  /** Runs the next timer, and returns its delay. */
  const wait = async (): Promise<number> => {
    const timer = timers.shift();
    timer?.run();
    await new Promise(setImmediate);
    return timer?.delayMs ?? 0;
  };
  return { live, sources, timers, seen, byMinute, state, open, wait };
}

describe('the page', () => {
  it('follows one stream for the page that is shown, and none while hidden', () => {
    const { live, open, sources } = following();
    live.follow('stream');
    live.follow('stream');
    expect(sources.length).toBe(1);
    live.follow('stream?partner=acme&mode=live');
    expect(open()).toEqual(['stream?partner=acme&mode=live']);
    live.show(false);
    expect(open()).toEqual([]);
    live.show(true);
    expect(open()).toEqual(['stream?partner=acme&mode=live']);
    live.follow(null);
    expect(open()).toEqual([]);
  });

  it('reconnects after a loss with delays that double up to a minute', async () => {
    const { live, sources, seen, wait, open } = following();
    live.follow('stream');
    const pauses: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      sources.at(-1)?.lost();
      expect(open()).toEqual([]);
      pauses.push(await wait());
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(seen).toEqual([]);
    sources.at(-1)?.opened();
    expect(seen).toEqual(['opened']);
    sources.at(-1)?.lost();
    expect(await wait()).toBe(1_000);
  });

  it('is notified whenever a stream opens: the first one, one of another partner, and one after a lost connection', async () => {
    const { live, sources, seen, wait } = following();
    live.follow('stream');
    sources.at(-1)?.opened();
    live.follow('stream?partner=acme&mode=live');
    expect(seen).toEqual(['opened']);
    sources.at(-1)?.opened();
    sources.at(-1)?.lost();
    await wait();
    sources.at(-1)?.opened();
    expect(seen).toEqual(['opened', 'opened', 'opened']);
  });

  it('opens no stream while the service does not answer, and signs out once the session has ended', async () => {
    const { live, sources, seen, state, wait, open, timers } = following();
    live.follow('stream');
    state.isSignedIn = null;
    sources[0]?.lost();
    await wait();
    expect([open(), sources.length, timers.length]).toEqual([[], 1, 1]);
    state.isSignedIn = false;
    await wait();
    expect([seen, sources.length, timers.length]).toEqual([['signed out'], 1, 0]);
  });

  it('does not reopen a stream that was replaced during the sign-in check', async () => {
    const { live, sources, timers, open } = following();
    live.follow('stream');
    sources[0]?.lost();
    timers[0]?.run();
    live.follow('stream?partner=acme&mode=test');
    await new Promise(setImmediate);
    expect(open()).toEqual(['stream?partner=acme&mode=test']);
  });

  it('passes on the topics of a message', () => {
    const { live, sources, seen } = following();
    live.follow('stream');
    sources[0]?.changed('{"sessions":true,"events":true}');
    sources[0]?.changed('not JSON');
    expect(seen).toEqual([['sessions', 'events'], []]);
  });

  it('reports topics by minute at once, and at most once a minute while hints arrive', async () => {
    const { live, sources, byMinute, timers, wait } = following();
    live.follow('stream');
    const [source] = sources;
    source?.changed('{"sessions":true}');
    source?.changed('{"sessions":true,"deliveries":true}');
    source?.changed('{"deliveries":true}');
    expect(byMinute).toEqual([['sessions']]);
    expect(await wait()).toBe(60_000);
    expect(byMinute).toEqual([['sessions'], ['sessions', 'deliveries']]);
    await wait();
    // Without topics in that minute, no further timer is set.
    expect([byMinute.length, timers.length]).toEqual([2, 0]);
    source?.changed('{"events":true}');
    expect(byMinute.at(-1)).toEqual(['events']);
    live.show(false);
    expect(timers.length).toBe(0);
  });
});

describe('the opening of the stream', () => {
  const need = { name: 'sessions', path: 'sessions?limit=25' } as const;
  const list = ok({ data: [], has_more: false });
  const answer = { type: 'answered', need, answer: list } as const;
  const opened = { type: 'stream_opened' } as const;

  it('has the page read once more what it has read', () => {
    const { app, effects } = after(inside('#/sessions'), answer, opened);
    expect(pathsOf(effects)).toEqual([need.path]);
    const read = after(app, answer);
    expect(read.effects).toEqual([]);
    expect(read.app.loaded.sessions?.remote).toMatchObject({ at: 'ready', isStale: false });
  });

  it('has the page read once more what it is reading, once that is answered', () => {
    const { app, effects } = after(inside('#/sessions'), opened);
    expect(effects).toEqual([]);
    const again = after(app, answer);
    expect(pathsOf(again.effects)).toEqual([need.path]);
    expect(again.app.loaded.sessions?.remote).toMatchObject({ at: 'ready', isStale: true });
    expect(after(again.app, answer).effects).toEqual([]);
  });

  it('changes nothing for what is read afterwards', () => {
    const { app } = after(inside('#/home'), opened, { type: 'went', route: readRoute('#/sessions') });
    expect(after(app, answer).effects).toEqual([]);
  });

  it('repeats a read that has failed, not one that was refused', () => {
    const reads = (status: number) =>
      after(inside('#/sessions'), { type: 'answered', need, answer: refused(status) }, opened);
    expect(pathsOf(reads(503).effects)).toEqual([need.path]);
    expect(pathsOf(reads(0).effects)).toEqual([need.path]);
    expect(reads(404).effects).toEqual([]);
  });
});

describe('a hint', () => {
  it('during a read causes one more, once that is answered, and no second one in the meantime', () => {
    const need = { name: 'sessions', path: 'sessions?limit=25' } as const;
    const answer = { type: 'answered', need, answer: ok({ data: [], has_more: false }) } as const;
    const hint = { type: 'changed', topics: ['sessions'], pace: 'at_once' } as const;
    const first = after(inside('#/sessions'), hint, hint);
    expect(first.effects).toEqual([]);
    const second = after(first.app, answer);
    expect(pathsOf(second.effects)).toEqual([need.path]);
    const third = after(second.app, hint);
    expect(third.effects).toEqual([]);
    expect(pathsOf(after(third.app, answer).effects)).toEqual([need.path]);
  });

  it('repeats a read that has failed, not one that was refused', () => {
    const need = { name: 'sessions', path: 'sessions?limit=25' } as const;
    const hint = { type: 'changed', topics: ['sessions'], pace: 'at_once' } as const;
    const reads = (status: number) =>
      after(inside('#/sessions'), { type: 'answered', need, answer: refused(status) }, hint);
    for (const status of [0, 429, 503]) expect(pathsOf(reads(status).effects)).toEqual([need.path]);
    expect(reads(404).effects).toEqual([]);
  });

  it('reloads only the resources that it concerns', () => {
    const need = { name: 'sessions', path: 'sessions?limit=25' } as const;
    const list = ok({ data: [], has_more: false });
    const { app } = after(inside('#/sessions'), { type: 'answered', need, answer: list });
    expect(
      after(app, { type: 'changed', topics: ['deliveries', 'settings', 'unknown'], pace: 'at_once' }).effects,
    ).toEqual([]);
    const changed = after(app, { type: 'changed', topics: ['events', 'sessions'], pace: 'at_once' });
    expect(pathsOf(changed.effects)).toEqual(['sessions?limit=25']);
    expect(changed.app.loaded.sessions?.remote).toMatchObject({ at: 'ready', isStale: true });
  });

  it('reloads the hourly figures of the home page once a minute only', () => {
    const need = { name: 'activity', path: 'activity' } as const;
    const { app } = after(inside('#/home'), { type: 'answered', need, answer: ok({}) });
    const hint = { type: 'changed', topics: ['sessions'] } as const;
    expect(pathsOf(after(app, { ...hint, pace: 'at_once' }).effects)).not.toContain('activity');
    expect(pathsOf(after(app, { ...hint, pace: 'by_minute' }).effects)).toEqual(['activity']);
  });

  it('that the session has ended shows the sign-in page and drops loaded data', () => {
    const app = after(inside('#/home'), { type: 'session_ended' }).app;
    expect(app).toMatchObject({ door: { at: 'outside', why: 'expired' }, loaded: {} });
  });

  it('comes from the stream of the shown partner and mode, or of the installation', () => {
    expect(streamPathOf(opening())).toBeNull();
    expect(streamPathOf(inside('#/sessions', portal()))).toBe('stream');
    expect(streamPathOf(inside('#/live/acme/sessions', operator()))).toBe('stream?partner=acme&mode=live');
    expect(streamPathOf(inside('#/partners', operator()))).toBe('stream');
    expect(streamPathOf(inside('#/home', operator({ partners: [] })))).toBeNull();
    expect(streamPathOf({ ...inside('#/home'), route: readRoute('#/nowhere') })).toBeNull();
  });
});
