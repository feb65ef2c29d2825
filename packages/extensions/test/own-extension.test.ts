import { createGate } from '@gateramp/core';
import type { Extension } from '@gateramp/core/extension';
import { apiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import { createTestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { reminders } from './reminders.js';

const options = { extensions: [pools(), reminders] } as const;

describe('an extension of one’s own', () => {
  it('has endpoints that are checked like those of the engine, and replayed byte for byte', async () => {
    const t = await createTestGate(options);
    const { id } = await t.createSession();
    const key = t.keys.secret.test;
    const create = (body: unknown, idempotencyKey = 'once') =>
      t.request('POST', `/v1/reminders/${id}`, { key, body, idempotencyKey });
    expect(await create({ days: 0 })).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
    expect(await create({ days: 1, hours: 1 })).toMatchObject({ status: 400, json: { code: 'unknown_field' } });
    const created = await create({ days: 2 });
    expect(created).toMatchObject({ status: 201, json: { session_id: id, status: 'pending' } });
    expect((await create({ days: 2 })).text).toBe(created.text);
    expect((await create({ days: 3 })).json).toMatchObject({ code: 'idempotency_key_mismatch' });
    const other = await t.request('GET', `/v1/reminders/${id}`, { key: t.keys.secret.live, mode: 'live' });
    expect(other.json).toMatchObject({ code: 'session_not_found' });
    expect((await t.request('GET', `/v1/reminders/${id}`)).json).toMatchObject({ code: 'missing_credential' });
  });

  it('has tasks, which run when they are due, and calls in process', async () => {
    const t = await createTestGate(options);
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { id } = await t.createSession();
    const statusOf = async () => (await t.gate.reminders.retrieve(scope, id))._unsafeUnwrap().status;
    await t.gate.as({ type: 'operator', id: 'ada' }).reminders.create(scope, id, { days: 1 }, { idempotencyKey: 'a' });
    await t.clock.advance('23h');
    expect(await statusOf()).toBe('pending');
    await t.gate.reminders.create(scope, id, { days: 3 }, { idempotencyKey: 'b' });
    await t.clock.advance('2h');
    expect(await statusOf()).toBe('pending');
    await t.clock.advance('3d');
    expect(await statusOf()).toBe('due');
  });

  it('leaves its tasks to a process that has it', async () => {
    const t = await createTestGate(options);
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { id } = await t.createSession();
    await t.gate.reminders.create(scope, id, { days: 1 }, { idempotencyKey: 'a' });
    const without = createGate({ ...t.ports, extensions: [sandbox()] }, { testClock: 'mode' });
    await without.advanceTestClock(25 * 3_600_000);
    expect(t.telemetry.failures.at(-1)?.error).toMatchObject({ message: expect.stringContaining('reminder_due') });
    await t.clock.advance('1h');
    expect((await t.gate.reminders.retrieve(scope, id))._unsafeUnwrap().status).toBe('due');
  });
});

describe('a listener of an extension', () => {
  it('is called once for each commit, audit entry, delivery attempt and refused request', async () => {
    const heard: string[] = [];
    const listening: Extension = {
      name: 'listening',
      open: () => ({
        listeners: [
          {
            committed: ({ events }) => heard.push(...events.map(({ type }) => type)),
            audited: (entries) => heard.push(...entries.map(({ action }) => action)),
            attempted: ({ status }) => heard.push(status),
            refused: ({ requestId }, { code }, status) => heard.push(`${status} ${code} ${requestId}`),
          },
        ],
      }),
    };
    const t = await createTestGate({ extensions: [listening] });
    const { id } = await t.createSession();
    await t.gate.runDue();
    heard.length = 0;
    await t.gate.sessions.cancel({ partnerId: t.partner.id, mode: 'test' }, id);
    await t.gate.runDue();
    await t.gate.admin.suspendPartner(t.partner.id);
    const answer = await t.request('GET', '/v1/gate_sessions');
    const refused = `401 missing_credential ${answer.headers['x-request-id']}`;
    expect(heard).toEqual(['gate_session.cancelled', 'delivered', 'partner.suspend', refused]);
  });

  it('stores what it has collected before the gate has stopped', async () => {
    let isStored = false;
    const flush = async (): Promise<void> => {
      await Promise.resolve();
      isStored = true;
    };
    const t = await createTestGate({ extensions: [{ name: 'collecting', open: () => ({ listeners: [{ flush }] }) }] });
    await t.gate.stop();
    expect(isStored).toBe(true);
  });

  it('changes nothing when it throws, and is reported', async () => {
    const broken = () => {
      throw new Error('The listener is broken.');
    };
    const listening: Extension = {
      name: 'listening',
      open: () => ({
        listeners: [
          { committed: broken, audited: broken, attempted: broken, refused: broken, flush: async () => broken() },
        ],
      }),
    };
    const t = await createTestGate({ extensions: [listening] });
    const { id } = await t.createSession();
    expect((await t.retrieveSession(id)).status).toBe('open');
    expect((await t.request('GET', '/v1/gate_sessions')).status).toBe(401);
    const before = t.telemetry.failures.length;
    await t.gate.stop();
    const reported = t.telemetry.failures.map(({ fields }) => fields['place']);
    expect(new Set(reported)).toEqual(new Set(['listener of an extension']));
    expect(reported).toHaveLength(before + 1);
  });

  it('is reported when it is asynchronous and rejects: the process goes on', async () => {
    // As in JavaScript, where no type says that nothing awaits it.
    const refused = (): unknown => Promise.reject(new Error('The listener is broken.'));
    const listening: Extension = { name: 'listening', open: () => ({ listeners: [{ refused }] }) };
    const t = await createTestGate({ extensions: [listening] });
    await t.request('GET', '/v1/gate_sessions');
    await new Promise(setImmediate);
    expect(t.telemetry.failures.map(({ fields }) => fields['place'])).toEqual(['listener of an extension']);
  });
});

describe('createGate refuses', () => {
  it.each([
    ['what is no extension', [null], 'extensions[0] must be an extension'],
    ['an extension that is given twice', [reminders, reminders], 'name reminders is not unique'],
    [
      'a route of the engine',
      [{ ...reminders, endpoints: reminders.endpoints?.map((one) => ({ ...one, path: '/health' })) }],
      'route GET /health is not unique',
    ],
    [
      'a page at a route of the engine',
      [{ name: 'x', pages: () => [{ path: '/health', headers: {}, body: () => '' }] }],
      'route GET /health is not unique',
    ],
    [
      'a page that is given twice',
      [apiDocument(), { ...apiDocument(), name: 'other' }],
      'route GET /docs is not unique',
    ],
    ['a host of the engine', [{ ...pools(), hosts: [{ name: 'live', mode: 'live' }] }], 'host live is not unique'],
    ['a kind of task of the engine', [{ name: 'x', tasks: { intent_expiry: () => null } }], 'intent_expiry'],
    ['a name of the gate', [{ name: 'x', calls: { sessions: {} } }], 'sessions'],
    [
      'a member of the gate',
      [{ name: 'x', open: () => ({ face: { clock: {} } }) }],
      'member of the gate clock is not unique',
    ],
    [
      'a member of its administration',
      [{ name: 'x', open: () => ({ admin: () => ({ listKeys: null }) }) }],
      'member of gate.admin listKeys is not unique',
    ],
  ])('%s', async (_, extensions, problem) => {
    const { ports } = await createTestGate();
    // JavaScript hosts get no type errors.
    expect(() =>
      createGate({ ...ports, extensions: extensions as readonly unknown[] as readonly Extension[] }),
    ).toThrow(problem);
  });
});
