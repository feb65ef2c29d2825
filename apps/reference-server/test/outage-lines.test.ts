import { virtualTimers } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { outageLines, type Fields } from '../src/outage-lines.js';

function watched(hasRecovered: (outage: string, lastAt: number) => boolean = () => true) {
  const timers = virtualTimers();
  const lines: (readonly [string, Fields])[] = [];
  const failed = outageLines(
    {
      began: (error, fields) => lines.push([String(error), fields]),
      over: (fields) => lines.push(['over', fields]),
    },
    hasRecovered,
    { now: timers.now, later: (run, delayMs) => void timers.setTimeout(run, delayMs) },
  );
  return { timers, lines, failed };
}

it('an outage is one line when it begins and one when it is over, however many requests meet it', async () => {
  const { timers, lines, failed } = watched();
  for (let second = 0; second < 60; second += 1) {
    for (let request = 0; request < 50; request += 1) failed(new Error('the database is away'), { request_id: 'req' });
    await timers.elapse(1_000);
  }
  expect(lines).toEqual([['Error: the database is away', { outage: 'Error', request_id: 'req' }]]);
  await timers.elapse(20_000);
  expect(lines.slice(1)).toEqual([['over', { outage: 'Error', failures: 3_000, lasted_ms: 59_000 }]]);
  failed(new Error('away again'), {});
  expect(lines).toHaveLength(3);
});

it('an outage of a provider is distinguished from one of the database, and from one of another provider', () => {
  const { lines, failed } = watched();
  for (const provider of ['one', 'two', 'one']) failed(new Error('late'), { provider });
  failed(new Error('late'), {});
  expect(lines.map(([, { outage }]) => outage)).toEqual(['provider one', 'provider two', 'Error']);
});

it('an outage without failures is over only once what was away has worked since', async () => {
  let workedAt = 0;
  const { timers, lines, failed } = watched((outage, lastAt) => outage === 'Error' && workedAt > lastAt);
  await timers.elapse(1_000);
  failed(new Error('the disk is full'), {});
  await timers.elapse(3_600_000);
  expect(lines).toHaveLength(1);
  workedAt = timers.now();
  await timers.elapse(1_000);
  expect(lines.slice(1)).toEqual([['over', { outage: 'Error', failures: 1, lasted_ms: 0 }]]);
});
