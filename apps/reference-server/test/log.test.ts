import { pino } from 'pino';
import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { secret, sentenceWith } from '../../../packages/core/test/runtime/telemetry/secrets.js';
import { linesTogether, LOG_OPTIONS, printable } from '../src/log.js';

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

const quoted = secret.chain((text) => fc.tuple(fc.constant(text), sentenceWith(text)));

test.prop([quoted])(
  'writes no secret that a message, a cause, a field or the text of a line quotes',
  ([text, sentence]) => {
    let lines = '';
    const log = pino(LOG_OPTIONS, { write: (line: string) => (lines += line) });
    log.error({ err: new Error(sentence, { cause: new Error(sentence) }), detail: sentence }, sentence);
    log.warn({ failure: new Error(sentence), list: [{ deep: sentence }] }, 'said %s', sentence);
    log.info(sentence);
    // Also in its JSON escape.
    expect(lines).not.toContain(JSON.stringify(text).slice(1, -1));
    expect(lines.trim().split('\n')).toHaveLength(3);
  },
);

it('keeps ids whole', () => {
  const ids = { request_id: '0192f3a4-1234-7123-8123-123456789012', delivery_id: '123456789012345678901234' };
  expect(JSON.parse(written(ids))).toMatchObject(ids);
});

it('keeps the ids of spans whole, whose digits may look like the number of a card', () => {
  const ids = { trace_id: '4bf92f4242424242424242d0e0e47360', span_id: '4242424242424242' };
  expect(JSON.parse(written(ids))).toMatchObject(ids);
});

it('escapes control and format characters of others on a terminal, but for the line breaks of a stack', () => {
  const hostile = 'a\u001b[2J\rb\u009b31m\u202egnp\u200b';
  const line = printable(written({ err: new Error(hostile), user: hostile }));
  expect(JSON.stringify(line)).not.toContain('\\u001b"');
  expect(line).toMatchObject({ user: String.raw`a\u001b[2J\u000db\u009b31m\u202egnp\u200b` });
  const { err } = line as { readonly err: { readonly message: string; readonly stack: string } };
  expect(`${err.message}${err.stack}`).not.toMatch(/[^\P{C}\n]/u);
  expect(err.stack).toContain('\n');
});
