import { describe, expect, it } from 'vitest';

import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import {
  finishTask,
  isLeased,
  leasedTask,
  newTask,
  parkTask,
  postponeTask,
  retryTask,
  type NewTask,
} from '../../../src/domain/task/task.js';
import { NOW } from '../builders.js';

const input: NewTask = { id: 't', kind: 'provider_start', partnerId: 'p', mode: 'test', subjectId: 'i', dueAt: NOW };

describe('a task', () => {
  it('is committed before it is begun: pending, free, never failed', () => {
    const task = newTask(input, NOW);
    expect(task).toMatchObject({ ...input, status: 'pending', claims: 0, failures: 0 });
    expect(isLeased(task, NOW)).toBe(false);
  });

  it('born leased is its maker’s until the lease ends, and anybody’s from then on', () => {
    const task = leasedTask(input, 'mine', NOW, DEFAULT_POLICY);
    expect(task).toMatchObject({ leaseToken: 'mine', claims: 1 });
    expect(isLeased(task, NOW + DEFAULT_POLICY.taskLease - 1)).toBe(true);
    expect(isLeased(task, NOW + DEFAULT_POLICY.taskLease)).toBe(false);
  });

  it('is tried again later each time and never given up silently', () => {
    let task = leasedTask(input, 'mine', NOW, DEFAULT_POLICY);
    const gaps: number[] = [];
    for (let run = 0; run < 7; run += 1) {
      task = retryTask(task, NOW, DEFAULT_POLICY);
      gaps.push((task.dueAt - NOW) / 1000);
      expect(task).toMatchObject({ status: 'pending', leaseToken: null, leaseUntil: null, failures: run + 1 });
    }
    expect(gaps).toEqual([5, 15, 60, 300, 900, 900, 900]);
  });

  it('postponed has not failed', () => {
    const failed = retryTask(leasedTask(input, 'mine', NOW, DEFAULT_POLICY), NOW, DEFAULT_POLICY);
    expect(postponeTask(failed, NOW + 9)).toMatchObject({
      status: 'pending',
      dueAt: NOW + 9,
      failures: 0,
      claims: 0,
      leaseToken: null,
    });
  });

  it('done or parked holds no lease', () => {
    const task = leasedTask(input, 'mine', NOW, DEFAULT_POLICY);
    expect(finishTask(task)).toMatchObject({ status: 'done', leaseToken: null, leaseUntil: null });
    expect(parkTask(task)).toMatchObject({ status: 'parked', leaseToken: null, leaseUntil: null });
  });
});
