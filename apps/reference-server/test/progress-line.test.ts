import { expect, it } from 'vitest';
import { progressLine } from '../src/cli/progress-line.js';

const PROGRESS = [
  { kind: 'partner', copied: 2, total: 2 },
  { kind: 'session', copied: 500, total: 1_200 },
  { kind: 'session', copied: 1_200, total: 1_200 },
  { kind: 'mark', copied: 0, total: 0 },
] as const;

function writtenTo(isTTY: boolean): string {
  let text = '';
  const line = progressLine({ isTTY, write: (more) => (text += more) });
  for (const progress of PROGRESS) line.show(progress);
  line.end();
  return text;
}

it('writes one line over and over on a terminal, and leaves none behind', () => {
  const [start, erase] = ['\r', '\u001b[K'];
  const lines = ['partner: 2 of 2', 'session: 500 of 1,200', 'session: 1,200 of 1,200', ''];
  expect(writtenTo(true)).toBe(lines.map((line) => `${start}${erase}${line}`).join(''));
});

it('writes a line for each kind that has ended elsewhere', () => {
  expect(writtenTo(false)).toBe('partner: 2 of 2\nsession: 1,200 of 1,200\n');
});
