import { describe, expect, it } from 'vitest';
import { escapeUnprintable, hasUnprintable } from '../../../src/domain/text/printable.js';

/** ESC, CR, line break, DEL, C1, bidi override and isolate, zero width, line separator, a tag of the supplementary planes. */
const HOSTILE = [
  '\u001b',
  '\r',
  '\n',
  '\u007f',
  '\u009b',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u2028',
  '\u{e0041}',
  '\ud800',
];

describe('printable text', () => {
  it.each(HOSTILE.map((character) => [character.codePointAt(0)?.toString(16), character]))(
    'escapes U+%s',
    (_, character = '') => {
      expect(hasUnprintable(`a${character}b`)).toBe(true);
      const shown = escapeUnprintable(`a${character}b`);
      expect(shown).toMatch(/^a(\\u[0-9a-f]{4})+b$/);
      expect(JSON.parse(`"${shown}"`)).toBe(`a${character}b`);
    },
  );

  it('keeps letters, accents, right-to-left script and emoji', () => {
    for (const text of ['Žofie & Søn GmbH', 'متجر', '日本', 'e\u0301', '\u{1F600}']) {
      expect(hasUnprintable(text)).toBe(false);
      expect(escapeUnprintable(text)).toBe(text);
    }
  });
});
