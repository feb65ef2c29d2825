import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { keptText } from '../../../src/runtime/webhook/webhook-sender.js';

describe('stored response text', () => {
  test.prop([fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 64 })])(
    'of any bytes fits the limit and is accepted by every store',
    (bytes, limit) => {
      const text = keptText(bytes, limit);
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(limit);
      expect(text).not.toContain('\0');
      expect(Buffer.from(text).toString()).toBe(text);
    },
  );

  test.prop([fc.string({ unit: 'binary' })])('of text within the limit is that text without NUL', (text) => {
    fc.pre(!text.startsWith('\ufeff'));
    expect(keptText(new TextEncoder().encode(text), 10_000)).toBe(text.replaceAll('\0', ''));
  });

  it('is not cut in the middle of a character', () => {
    expect(keptText(new TextEncoder().encode('a€€'), 6)).toBe('a€');
  });
});
