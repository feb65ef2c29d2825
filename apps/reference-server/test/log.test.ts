import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LOG_OPTIONS } from '../src/log.js';

function written(fields: object): string {
  let line = '';
  pino(LOG_OPTIONS, { write: (text: string) => (line += text) }).error(fields, 'said');
  return line;
}

it('leaves out what has the name of a secret, at the top and one level down', () => {
  const line = written({ client_secret: 'hidden-1', headers: { authorization: 'hidden-2' }, body: { payment_details: { card_number: 'hidden-3' } }, path: '/shown' });
  expect(line).not.toContain('hidden');
  expect(JSON.parse(line)).toMatchObject({ client_secret: '[redacted]', path: '/shown', msg: 'said' });
});

it('leaves out the rows that an error of the database quotes, and keeps what went wrong', () => {
  const err = Object.assign(new Error('duplicate key value'), { code: '23505', detail: 'Failing row contains (hidden)', where: 'hidden' });
  const line = written({ err });
  expect(line).not.toContain('hidden');
  expect(JSON.parse(line).err).toMatchObject({ message: 'duplicate key value', code: '23505' });
});
