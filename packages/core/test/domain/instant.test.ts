import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/domain/instant.js';
import { forAll } from './for-all.js';

describe('the text of an instant', () => {
  it('is ISO-8601 with milliseconds and a Z', () => {
    expect(isoTime(Date.UTC(2030, 0, 2, 3, 4, 5, 6))).toBe('2030-01-02T03:04:05.006Z');
  });

  forAll([fc.date({ noInvalidDate: true })])('is what the platform writes, for every date', (date) => {
    expect(isoTime(date.getTime())).toBe(date.toISOString());
  });

  it('does not exist for an invalid instant', () => {
    expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  });
});
