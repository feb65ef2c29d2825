import { describe, expect, it } from 'vitest';

import { HOUR, MINUTE, SECOND } from '../../../src/domain/instant.js';
import {
  TASK_LEASE,
  finishTask,
  isAlarmDue,
  isLeased,
  leasedTask,
  newTask,
  type NewTask,
  parkTask,
  postponeTask,
  retryTask,
} from '../../../src/domain/task.js';
import { NOW } from '../builders.js';

const input: NewTask = { id: 't', kind: 'provider_start', partnerId: 'p', mode: 'test', subjectId: 'i', dueAt: NOW };

describe('a task', () => {
  it('is committed before it starts: pending, unclaimed, without failures', () => {
    const task = newTask(input, NOW);
    expect(task).toMatchObject({ ...input, status: 'pending', claims: 0, failures: 0 });
    expect(isLeased(task, NOW)).toBe(false);
  });

  it('created with a lease belongs to its creator until the lease expires', () => {
    const task = leasedTask(input, 'mine', NOW);
    expect(task).toMatchObject({ leaseToken: 'mine', claims: 1 });
    expect(isLeased(task, NOW + TASK_LEASE - 1)).toBe(true);
    expect(isLeased(task, NOW + TASK_LEASE)).toBe(false);
  });

  it('is retried with increasing delays and never given up silently', () => {
    let task = leasedTask({ ...input, kind: 'provider_check' }, 'mine', NOW);
    const gaps: number[] = [];
    for (let run = 0; run < 7; run += 1) {
      task = retryTask(task, NOW);
      gaps.push((task.dueAt - NOW) / 1000);
      expect(task).toMatchObject({ status: 'pending', leaseToken: null, leaseUntil: null, failures: run + 1 });
    }
    expect(gaps).toEqual([5, 15, 60, 300, 900, 900, 900]);
  });

  it('that is a provider step of unknown outcome is looked up twice a minute for ten minutes, then like any other', () => {
    let task = leasedTask(input, 'mine', NOW);
    const at: number[] = [];
    while (task.dueAt < NOW + 30 * MINUTE) {
      task = retryTask(task, task.dueAt);
      at.push((task.dueAt - NOW) / SECOND);
    }
    const young = at.filter((seconds) => seconds <= 600);
    expect(young.slice(0, 4)).toEqual([5, 20, 50, 80]);
    expect(Math.max(...young.slice(1).map((seconds, n) => seconds - (young[n] ?? 0)))).toBe(30);
    expect(young).toContain(300);
    expect(at.slice(young.length)).toEqual([1500, 2400]);
  });

  it.each([
    ['looked up in time', [5, 20, 50]],
    ['looked up late, after a pause of all workers', [400]],
    ['looked up early, by repeats of its request', [5, 290, 299]],
  ])('that is a provider step raises one alarm once its outcome has been unknown for five minutes: %s', (_, runs) => {
    let task = leasedTask(input, 'mine', NOW);
    const alarms: number[] = [];
    const look = (now: number): void => {
      if (isAlarmDue(task, now)) alarms.push((now - NOW) / SECOND);
      task = retryTask(task, now);
    };
    for (const seconds of runs) look(NOW + seconds * SECOND);
    while (task.dueAt < NOW + HOUR) look(task.dueAt);
    expect(alarms).toEqual([Math.max(300, ...runs)]);
  });

  it('that is postponed has not failed', () => {
    const failed = retryTask(leasedTask(input, 'mine', NOW), NOW);
    expect(postponeTask(failed, NOW + 9)).toMatchObject({
      status: 'pending',
      dueAt: NOW + 9,
      failures: 0,
      claims: 0,
      leaseToken: null,
    });
  });

  it('that is done or parked has no lease', () => {
    const task = leasedTask(input, 'mine', NOW);
    expect(finishTask(task)).toMatchObject({ status: 'done', leaseToken: null, leaseUntil: null });
    expect(parkTask(task)).toMatchObject({ status: 'parked', leaseToken: null, leaseUntil: null });
  });
});
