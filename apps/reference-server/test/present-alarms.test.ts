import type { ConsoleAlarm } from '@gateramp/console';
import type { Mode } from '@gateramp/core';
import { TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { ALARMS, alertName } from '../src/monitoring/alarms.js';
import { alarmLink } from '../src/monitoring/alarm-path.js';
import { firingHere, presentAlarms } from '../src/monitoring/present-alarms.js';
import { RecentAlarms } from '../src/monitoring/recent-alarms.js';
import { storedStates, type StoredStates } from '../src/monitoring/stored-states.js';
import { stuckLegs } from './stuck-legs.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The alarms of a process with these gauges, and its time. */
function process(gauges: readonly string[], stored: StoredStates = {}) {
  const time = { now: 1_000 * DAY };
  const registry = new Registry();
  const recent = new RecentAlarms(() => time.now);
  const made = Object.fromEntries(
    gauges.map((name) => [name, new Gauge({ name, help: name, labelNames: ['of'], registers: [registry] })]),
  );
  const read = presentAlarms({ registry, recent, stored, now: () => time.now });
  const alarm = async (name: string): Promise<ConsoleAlarm | undefined> =>
    (await read()).find((one) => one.name === name);
  return { time, recent, read, alarm, set: (name: string, value: number) => made[name]?.set({ of: 'x' }, value) };
}

describe('the alarms that one process can evaluate', () => {
  it('are all of the catalogue, with meaning and condition, and none is quiet without having been evaluated', async () => {
    const all = await process([]).read();
    const listed = ALARMS.filter(({ alert }) => alert !== 'GateOperationsUnresolved');
    expect(all.map(({ name }) => name)).toEqual(listed.map(({ alert }) => alert));
    expect(all.filter(({ meaning, condition }) => meaning === '' || condition === '')).toEqual([]);
    const of = (name: string) => all.find((one) => one.name === name);
    expect(of('GateDatabaseDown')).toMatchObject({ state: 'not_evaluated', reason: 'no_data', value: null });
    expect(of('GateHttpErrors')).toMatchObject({ state: 'not_evaluated', reason: 'needs_history', covers: null });
    expect(of('GateMoneyHeldFast')).toMatchObject({ state: 'not_evaluated', reason: 'needs_history' });
    expect(of(alertName('task_parked'))).toMatchObject({ state: 'inactive', covers: 'process', value: 0 });
  });

  it('are pending until they have held for as long as the rule requires, and forgotten once they have ended', async () => {
    const { time, set, alarm } = process(['gate_database_up']);
    const since = time.now;
    set('gate_database_up', 0);
    expect(await alarm('GateDatabaseDown')).toMatchObject({ state: 'pending', since, value: 0, covers: 'process' });
    time.now += MINUTE;
    expect(await alarm('GateDatabaseDown')).toMatchObject({ state: 'firing', since });
    set('gate_database_up', 1);
    expect(await alarm('GateDatabaseDown')).toMatchObject({ state: 'inactive', since: null, value: 1 });
    set('gate_database_up', 0);
    expect(await alarm('GateDatabaseDown')).toMatchObject({ state: 'pending', since: time.now });
  });

  it('know from an age for how long a condition has held before this process looked', async () => {
    const { time, set, alarm } = process(['gate_oldest_due_seconds']);
    set('gate_oldest_due_seconds', 59);
    expect(await alarm('GateWorkNotClaimed')).toMatchObject({ state: 'inactive', covers: 'installation', value: 59 });
    set('gate_oldest_due_seconds', 60 + 5 * 60);
    expect(await alarm('GateWorkNotClaimed')).toMatchObject({ state: 'firing', since: time.now - 5 * MINUTE });
  });

  it('are not evaluated while one of their values cannot be read, unless another one suffices', async () => {
    const { set, alarm } = process(['gate_overdue_deliveries', 'gate_oldest_due_seconds']);
    set('gate_oldest_due_seconds', 0);
    expect(await alarm('GateWorkNotClaimed')).toMatchObject({ state: 'not_evaluated', reason: 'no_data' });
    set('gate_oldest_due_seconds', 3_600);
    expect(await alarm('GateWorkNotClaimed')).toMatchObject({ state: 'firing', value: 3_600 });
  });

  it('compare a distance from 0 in both directions', async () => {
    const { set, alarm } = process(['gate_database_clock_ahead_seconds']);
    set('gate_database_clock_ahead_seconds', -3);
    expect(await alarm('GateDatabaseClockOff')).toMatchObject({ state: 'pending', value: -3 });
    set('gate_database_clock_ahead_seconds', -1);
    expect(await alarm('GateDatabaseClockOff')).toMatchObject({ state: 'inactive' });
  });

  it('fire for 15 minutes after this process raised them', async () => {
    const { time, recent, alarm } = process([]);
    const [since, name] = [time.now, alertName('charged_back')];
    recent.note('charged_back');
    time.now += MINUTE;
    recent.note('charged_back');
    expect(await alarm(name)).toMatchObject({ state: 'firing', since, value: 2, covers: 'process' });
    time.now = since + 15 * MINUTE;
    expect(await alarm(name)).toMatchObject({ state: 'firing', since: since + MINUTE, value: 1 });
    time.now += MINUTE;
    expect(await alarm(name)).toMatchObject({ state: 'inactive', value: 0 });
  });

  it('count the latest 1,000 times that this process raised them', async () => {
    const { time, recent, alarm } = process([]);
    for (let times = 0; times < 1_001; times += 1) {
      recent.note('charged_back');
      time.now += 1;
    }
    expect(await alarm(alertName('charged_back'))).toMatchObject({ value: 1_000, since: time.now - 1_000 });
  });
});

describe('alarms of other processes', () => {
  const name = alertName('delivery_parked');
  const elsewhere = [
    { name, since: 1_000 * DAY - MINUTE, value: 2, about: [{ fields: { delivery_id: 'd' }, path: null }] },
  ];

  it('fire here too, with what they were raised about', async () => {
    const { recent, time } = process([]);
    const read = presentAlarms({
      ...{ registry: new Registry(), recent, stored: {}, now: () => time.now },
      elsewhere: () => Promise.resolve(elsewhere),
    });
    const alarm = async () => (await read()).find((one) => one.name === name);
    expect(await alarm()).toMatchObject({ state: 'firing', covers: 'installation', value: 2, ...elsewhere[0] });
    recent.note('delivery_parked', { partner_id: 'p', mode: 'live', delivery_id: 'own', event_id: 'e' });
    expect(await alarm()).toMatchObject({
      ...{ state: 'firing', value: 3, since: 1_000 * DAY - MINUTE },
      about: [{ fields: { delivery_id: 'own' }, path: '#/live/p/delivery/own' }, { fields: { delivery_id: 'd' } }],
    });
    expect((await read()).filter(({ state }) => state === 'firing')).toHaveLength(1);
  });

  it('do not hide own ones when they cannot be read', async () => {
    const { recent, time } = process([]);
    recent.note('delivery_parked');
    const read = presentAlarms({
      ...{ registry: new Registry(), recent, stored: {}, now: () => time.now },
      elsewhere: () => Promise.reject(new Error('away')),
    });
    expect((await read()).find((one) => one.name === name)).toMatchObject({ state: 'firing', covers: 'process' });
  });

  it('are those of this process alone that others learn of', async () => {
    const { recent, time } = process([]);
    const registry = new Registry();
    const read = firingHere({ registry, recent, stored: {}, now: () => time.now });
    expect(await read()).toEqual([]);
    recent.note('delivery_parked', { partner_id: 'p', mode: 'test' });
    expect(await read()).toEqual([
      {
        name,
        since: time.now,
        value: 1,
        about: [{ fields: { partner_id: 'p', mode: 'test' }, path: '#/test/p/home' }],
      },
    ]);
  });
});

describe('the link of an alarm', () => {
  it.each([
    [{ partner_id: 'p', mode: 'live', session_id: 's' }, 'https://console.example/#/live/p/session/s'],
    [{ partner_id: 'p', mode: 'test', intent_id: 'i', session_id: 's' }, 'https://console.example/#/test/p/object/i'],
    [{ operation_id: 'o/1', mode: 'live' }, 'https://console.example/#/operation/o%2F1'],
  ])('of %j leads to its page in the console', (fields, link) => {
    expect(alarmLink(fields, 'https://console.example')).toEqual({ link });
  });

  it('is absent without a console, or where there is no page', () => {
    expect(alarmLink({ partner_id: 'p', mode: 'live' }, null)).toEqual({});
    expect(alarmLink({ overdue_ms: 5 }, 'https://console.example')).toEqual({});
  });
});

describe('alarms with a state in the store', () => {
  it('fire while it lasts, whichever process raised them', async () => {
    const { test, legs } = await stuckLegs();
    const { gate, request } = test;
    const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
    const session = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/' };
    const id = (await gate.sessions.create(scope, session)).map((made) => made.id).unwrapOr('');
    const simulate = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    await request('POST', simulate, { key: TEST_KEYS.secret.test, body: { scenario: 'processing' } });
    let waited = DAY - MINUTE;
    const parts = {
      operator: { heldSessions: gate.admin.heldSessions },
      legs,
      now: (mode: Mode) => gate.clock.now(mode) + waited,
      isClockTrusted: () => true,
      isHeld: () => true,
      isAuditSetBack: () => true,
    };
    const { alarm } = process([], storedStates(parts));
    expect(await alarm(alertName('session_held_too_long'))).toMatchObject({
      state: 'inactive',
      covers: 'installation',
    });
    waited += MINUTE;
    const heldSince = (await gate.admin.heldSessions('test'))[0]?.heldSince ?? NaN;
    expect(await alarm(alertName('session_held_too_long'))).toMatchObject({
      state: 'firing',
      value: 1,
      since: heldSince + DAY,
      about: [{ fields: { session_id: expect.any(String) }, path: expect.stringContaining('/session/') }],
    });
    expect(await alarm(alertName('operation_stuck'))).toMatchObject({
      state: 'firing',
      value: 2,
      about: [{ path: expect.stringMatching('^#/operation/') }, { path: expect.stringMatching('^#/operation/') }],
    });
    expect((await alarm(alertName('operation_stuck')))?.since).not.toBeNull();
    expect(await alarm(alertName('wallet_paused'))).toMatchObject({ state: 'inactive', value: 0 });
    const entry = { action: 'wallet.pause', target: { type: 'wallet', id: 'base' }, partnerId: null, mode: null };
    await legs.pauseWallet('base', 'drill', (rows, commit) =>
      gate.admin.audit.recordWith({ ...entry, ...rows }, commit),
    );
    expect(await alarm(alertName('wallet_paused'))).toMatchObject({
      state: 'firing',
      value: 1,
      about: [{ fields: { network: 'base' }, path: '#/wallets' }],
    });
    expect(await alarm(alertName('history_changed'))).toMatchObject({ state: 'firing', covers: 'process' });
    expect(await alarm(alertName('audit_set_back'))).toMatchObject({ state: 'firing', covers: 'process' });
    expect(await alarm(alertName('clock_untrusted'))).toMatchObject({ state: 'inactive' });
  });

  it('are listed once: stuck operations as `GateOperationStuck`, although a series shows them too', async () => {
    const { legs } = await stuckLegs();
    const operator = { heldSessions: async () => [] };
    const parts = {
      operator,
      legs,
      now: () => 0,
      isClockTrusted: () => true,
      isHeld: () => false,
      isAuditSetBack: () => false,
    };
    const { time, set, read } = process(['gate_operations_stuck'], storedStates(parts));
    set('gate_operations_stuck', 2);
    await read();
    time.now += MINUTE;
    const firing = (await read()).filter(({ state }) => state === 'firing' || state === 'pending');
    expect(firing).toMatchObject([{ name: 'GateOperationStuck', value: 2 }]);
  });

  it('are not evaluated when the store does not answer', async () => {
    const operator = { heldSessions: () => Promise.reject(new Error('down')) };
    const parts = {
      operator,
      legs: null,
      now: () => 0,
      isClockTrusted: () => true,
      isHeld: () => false,
      isAuditSetBack: () => false,
    };
    expect(await process([], storedStates(parts)).alarm(alertName('session_held_too_long'))).toMatchObject({
      state: 'not_evaluated',
      reason: 'no_data',
    });
  });
});
