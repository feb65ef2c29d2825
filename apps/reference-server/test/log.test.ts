import { pino } from 'pino';
import { expect, it } from 'vitest';
import { linesTogether, LOG_OPTIONS } from '../src/log.js';

function written(fields: object): string {
  let line = '';
  pino(LOG_OPTIONS, { write: (text: string) => (line += text) }).error(fields, 'said');
  return line;
}

it('leaves out what has the name of a secret, at the top and one level down', () => {
  const line = written({
    client_secret: 'hidden-1',
    headers: { authorization: 'hidden-2' },
    body: { payment_details: { card_number: 'hidden-3' } },
    path: '/shown',
  });
  expect(line).not.toContain('hidden');
  expect(JSON.parse(line)).toMatchObject({ client_secret: '[redacted]', path: '/shown', msg: 'said' });
});

it('says what went wrong and why, and nothing that a driver hung on its error', () => {
  const cause = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    detail: 'Failing row contains (hidden)',
    where: 'hidden',
  });
  const err = Object.assign(new TypeError('The commit failed.', { cause }), {
    client: { password: 'hidden', ssl: { key: 'hidden' } },
  });
  const line = written({ err });
  expect(line).not.toContain('hidden');
  expect(JSON.parse(line).err).toEqual({
    type: 'TypeError',
    message: 'The commit failed.',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'Error', message: 'duplicate key value', code: '23505', stack: expect.any(String) },
  });
});

it('writes an outage in one line: it happens everywhere at once', () => {
  const err = Object.assign(new Error('Postgres did not answer.', { cause: new Error('ECONNREFUSED') }), {
    outage: true,
  });
  expect(JSON.parse(written({ err })).err).toEqual({ type: 'Error', message: 'Postgres did not answer.' });
});

it('writes what was thrown without being an error, and ends at a cause that is its own', () => {
  expect(JSON.parse(written({ err: 'plain' })).err).toEqual({ type: 'string', message: 'plain' });
  const round: Error & { cause?: unknown } = new Error('round');
  round.cause = round;
  expect(written({ err: round }).match(/"round"/g)).toHaveLength(5);
});

it('writes the lines of one turn in one go, and at the end of the process those that were not written yet', async () => {
  const writes: string[] = [];
  let exit = (): void => undefined;
  const write = linesTogether(
    (lines) => writes.push(lines),
    (flush) => (exit = flush),
  );
  write('one\n');
  write('two\n');
  expect(writes).toEqual([]);
  await new Promise(setImmediate);
  expect(writes).toEqual(['one\ntwo\n']);
  write('last words\n');
  exit();
  await new Promise(setImmediate);
  expect(writes).toEqual(['one\ntwo\n', 'last words\n']);
});
