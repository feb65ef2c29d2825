import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import type { ConsoleAlarm } from '../src/index.js';
import { ask, signedIn, testConsole } from './console.js';

const alarm = (name: string, given: Partial<ConsoleAlarm>): ConsoleAlarm => ({
  name,
  severity: 'warning',
  state: 'inactive',
  covers: 'process',
  since: null,
  value: 0,
  condition: 'x > 0',
  meaning: 'Look at `x`',
  reason: null,
  about: [],
  ...given,
});

const FOUND = [
  alarm('Quiet', {}),
  alarm('Unknown', { state: 'not_evaluated', covers: null, value: null, reason: 'needs_history' }),
  alarm('Warns', { state: 'firing', since: 0, value: 3 }),
  alarm('Waits', { state: 'pending', severity: 'critical' }),
  alarm('Critical', { state: 'firing', severity: 'critical', covers: 'installation' }),
];

async function consoleWithAlarms(partners: readonly string[] | 'all') {
  const { gate } = await createTestGate();
  const authorize = () => ({ actor: 'olga', roles: ['viewer'] as const, partners });
  return testConsole(gate, { authorize, alarms: async () => FOUND });
}

it('operators see alarms that fire first, and those that were not evaluated before inactive ones', async () => {
  const answer = await ask(await consoleWithAlarms('all'), '/alarms');
  expect(answer.status).toBe(200);
  const { evaluated_at: at, data } = (await answer.json()) as { evaluated_at: string; data: readonly ConsoleAlarm[] };
  expect(Number.isNaN(Date.parse(at))).toBe(false);
  expect(data.map(({ name }) => name)).toEqual(['Critical', 'Warns', 'Waits', 'Unknown', 'Quiet']);
  expect(data[1]).toMatchObject({ since: '1970-01-01T00:00:00.000Z', value: 3, meaning: 'Look at `x`' });
});

it('lead from each id of what they were raised about to its page', async () => {
  const fields = { partner_id: 'p', mode: 'live', session_id: 's', delivery_id: 'd', overdue_ms: 3 };
  const about = [
    { fields, path: null },
    { fields: { operation_id: 'o/1', mode: 'test' }, path: null },
    { fields: { session_id: 's' }, path: null },
  ];
  const { gate } = await createTestGate();
  const authorize = () => ({ actor: 'olga', roles: ['viewer'] as const, partners: 'all' as const });
  const alarms = async () => [alarm('Raised', { state: 'firing', about })];
  const answer = await ask(testConsole(gate, { authorize, alarms }), '/alarms');
  expect(await answer.json()).toMatchObject({
    data: [
      {
        about: [
          {
            links: { partner_id: '#/partner/p', session_id: '#/live/p/session/s', delivery_id: '#/live/p/delivery/d' },
          },
          { links: { operation_id: '#/operation/o%2F1' } },
          { links: {} },
        ],
      },
    ],
  });
});

it('not_found: alarms for operators of some partners, since their values count the work of all; 403 for users of partners', async () => {
  const some = await consoleWithAlarms([TEST_PARTNER.id]);
  expect((await ask(some, '/alarms')).status).toBe(404);
  const { gate } = await createTestGate();
  const console = testConsole(gate, { alarms: async () => FOUND });
  const cookie = await signedIn(console, TEST_PARTNER.id, { role: 'admin' });
  expect((await ask(console, '/alarms', { cookie })).status).toBe(403);
});

it('not_available: a host that does not evaluate its alarms', async () => {
  const { gate } = await createTestGate();
  const console = testConsole(gate, { authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }) });
  const answer = await ask(console, '/alarms');
  expect([answer.status, await answer.json()]).toMatchObject([501, { code: 'not_available' }]);
});
