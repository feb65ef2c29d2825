import { expect, it } from 'vitest';
import { ALARMS } from '@gateramp/core/ports';
import { virtualTimers } from '@gateramp/testing';
import { stderrTelemetry } from '../../../src/runtime/telemetry/stderr-telemetry.js';

function listening() {
  const timers = virtualTimers();
  const lines: string[] = [];
  return { timers, lines, telemetry: stderrTelemetry({ write: (line) => void lines.push(line), timers }) };
}

it('writes alarms and failures as single plain lines, and of notes only blocked destinations', () => {
  const { lines, telemetry } = listening();
  telemetry.alarm('delivery_dead_lettered', { delivery_id: 'd1', event_id: 'e1' });
  telemetry.failure(
    Object.assign(new Error('Postgres did not answer', { cause: new Error('connect ECONNREFUSED') }), { outage: true }),
    { request_id: 'req_1', route: '/v1/x' },
  );
  telemetry.note('delivery_attempt', { delivery_id: 'd2', error: 'blocked_destination' });
  telemetry.note('delivery_attempt', { delivery_id: 'd3', error: 'timeout' });
  expect(lines).toEqual([
    `gateramp: alarm delivery_dead_lettered delivery_id=d1 event_id=e1 (${ALARMS.delivery_dead_lettered.meaning})`,
    expect.stringMatching(
      /^gateramp: failure request_id=req_1 route=\/v1\/x: Error: Postgres did not answer, because of Error: connect ECONNREFUSED at /,
    ),
    'gateramp: webhook not sent, its destination is not a public address delivery_id=d2 error=blocked_destination; in development pass allowPrivateWebhooks: true',
  ]);
});

it('writes the location of a throwing consumer, in a single line', () => {
  const { lines, telemetry } = listening();
  telemetry.failure(new TypeError('first line\nsecond line\u001b[31m'), { consumer: 'grant-value' });
  expect(lines).toEqual([
    expect.stringMatching(
      /^gateramp: failure consumer=grant-value: TypeError: first line second line \[31m at .*stderr-telemetry\.test\.ts.*$/,
    ),
  ]);
});

it('writes no secret that an error quotes, and no text that could not be parsed', () => {
  const { lines, telemetry } = listening();
  const secrets = [
    'sk_live_abcdefgh12345678',
    'whsec_c2VjcmV0c2VjcmV0',
    'cafe_secret_abcdefghijklmnop',
    'eyJhbGciOi.eyJzdWIi.c2ln',
    'postgres://gate:hunter2@db/x',
    '4242 4242 4242 4242',
    '4242424242424242',
    'DE89 3704 0044 0532 0130 00',
    'mk1.0123456789abcdef.AAAA',
  ];
  for (const secret of secrets)
    telemetry.failure(new Error(`Cannot use ${secret} here.`, { cause: secret }), { detail: secret });
  telemetry.failure(new SyntaxError('Unexpected token \'A\', "Ada Lovelace" is not valid JSON'), {});
  const written = lines.join('\n');
  for (const secret of [...secrets, 'hunter2', 'Lovelace']) expect(written).not.toContain(secret);
});

it('writes five lines per kind and 25 in total within ten seconds, then the number of dropped ones, and starts over', async () => {
  const { timers, lines, telemetry } = listening();
  for (let nth = 0; nth < 1_000; nth += 1) telemetry.alarm('delivery_dead_lettered', { delivery_id: `d${nth}` });
  telemetry.alarm('charged_back', { intent_id: 'i1' });
  expect(lines).toHaveLength(6);
  await timers.elapse(10_000);
  expect(lines.at(-1)).toBe('gateramp: 995 log lines were dropped in the last 10 s');
  for (let nth = 0; nth < 100; nth += 1) telemetry.failure(new Error(`of kind ${nth}`), {});
  expect(lines).toHaveLength(7 + 25);
  await timers.elapse(10_000);
  telemetry.alarm('delivery_dead_lettered', { delivery_id: 'again' });
  expect(lines.slice(-2)).toEqual([
    'gateramp: 75 log lines were dropped in the last 10 s',
    `gateramp: alarm delivery_dead_lettered delivery_id=again (${ALARMS.delivery_dead_lettered.meaning})`,
  ]);
});

it('a whole body in a message takes no time, and the text at the cut is not written', () => {
  const body = '{"a":"b","c":"d"}'.repeat(4_000);
  const times: number[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    const { lines, telemetry } = listening();
    const began = performance.now();
    telemetry.failure(new Error(body), {});
    telemetry.failure(new Error(`${'://user:pw@'.repeat(178)} ://gate:hunter2-hunter2-hunter2-hunter2@db`), {});
    times.push(performance.now() - began);
    expect(lines.join('\n')).not.toContain('hunter');
  }
  // A pause of the machine adds to one of them.
  expect(Math.min(...times)).toBeLessThan(1_000);
});
