import { fc, test } from '@fast-check/vitest';
import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { createTestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { redacted } from '../src/server/exported-history.js';
import { readHistoryFile } from '../src/web/time/history-file.js';
import { ask, signedIn, testConsole } from './console.js';

const MARK = 'PRIVATE-7';

const STEP = {
  sequence: 1,
  at: '2030-01-01T00:00:00.000Z',
  event: { id: 'e', type: 't' },
  session: { status: 'open' },
  transaction: null,
  intents: [],
  deliveries: [{ id: 'd', status: 'pending', attempts: 0 }],
};
const FILE = { object: 'session_history', version: 1, session_id: 's', steps: [STEP], requests: [] };

async function exported() {
  const t = await createTestGate({ extensions: [consoleAccess(), inspection({ keepsRefusedRequests: true })] });
  const session = await t.createSession({
    user_reference: MARK,
    metadata: { email: `${MARK}@buyer.example` },
    return_url: `https://shop.example/${MARK}`,
  });
  await t.settle(session.id);
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id);
  const answer = await ask(console, `/sessions/${session.id}/history/export`, { cookie });
  const body = (await answer.json()) as { readonly file_name: string; readonly text: string };
  const shown = await (await ask(console, `/sessions/${session.id}/history`, { cookie })).json();
  return { session, body, shown, secrets: [MARK, session.client_secret] };
}

describe('an exported history', () => {
  it('has every step with its statuses, and no secret, reference, metadata, address, hash or wallet', async () => {
    const { session, body, shown, secrets } = await exported();
    expect(body.file_name).toBe(`session-${session.id}.history.json`);
    for (const secret of secrets) expect(body.text).not.toContain(secret);
    expect(body.text).not.toMatch(/0x[0-9a-f]{8}/i);
    const file = readHistoryFile(body.text);
    const steps = file?.history.steps ?? [];
    expect(steps.map(({ event, sequence, at }) => [event, sequence, at])).toEqual(
      shown.steps.map((one: (typeof steps)[number]) => [one.event, one.sequence, one.at]),
    );
    expect(steps.map((one) => (one.session as { status?: string }).status)).toEqual(
      shown.steps.map((one: { session: { status: string } }) => one.session.status),
    );
    expect(steps.at(-1)?.session).toMatchObject({ user_reference: '[redacted]', metadata: '[redacted]' });
  });

  it('has the newest 99 of the refused requests about the session', async () => {
    const t = await createTestGate({ extensions: [consoleAccess(), inspection({ keepsRefusedRequests: true })] });
    const { id } = await t.createSession();
    const cancel = () => t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test });
    await cancel();
    const refused = async (count: number) => {
      // At most 60 a minute are kept.
      await t.clock.advance('2m');
      const answers = [];
      for (let nth = 0; nth < count; nth += 1) answers.push(await cancel());
      return answers.map(({ headers }) => headers['x-request-id']);
    };
    const [older, newer] = [await refused(51), await refused(50)];
    const console = testConsole(t.gate);
    const cookie = await signedIn(console, t.partner.id);
    const { text } = (await (await ask(console, `/sessions/${id}/history/export`, { cookie })).json()) as {
      readonly text: string;
    };
    const shown = readHistoryFile(text)?.requests.map(({ request_id: one }) => one) ?? [];
    expect(shown).toHaveLength(99);
    expect(shown.slice(0, 50).toSorted()).toEqual(newer.toSorted());
    expect(older).toEqual(expect.arrayContaining(shown.slice(50)));
  });

  test.prop([fc.object({ maxDepth: 4, values: [fc.string(), fc.emailAddress(), fc.webUrl()] })])(
    'redacts the values of unknown members',
    (value) => {
      const text = JSON.stringify(redacted({ session: value }));
      for (const [name, one] of Object.entries(value))
        if (typeof one === 'string' && one.length > 12 && !JSON.stringify(name).includes(one))
          expect(text.includes(`:${JSON.stringify(one)}`)).toBe(false);
    },
  );
});

describe('a history file', () => {
  it('opens with every exported step', async () => {
    const { body } = await exported();
    const file = readHistoryFile(body.text);
    const { steps } = JSON.parse(body.text) as { steps: unknown[] };
    expect(file?.history.steps).toHaveLength(steps.length);
  });

  test.prop([fc.oneof(fc.json(), fc.string())])('of any other format is refused without throwing', (text) => {
    expect(readHistoryFile(text)).toBeNull();
  });

  it('of more than 1,000 steps, nested deeper than 12 or with an id of more than 200 characters is refused', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : { one: nested(depth - 1) });
    const read = ({ steps = 1, depth = 1, id = 1 }) => {
      const step = { ...STEP, session: nested(depth), event: { id: 'e'.repeat(id), type: 't' } };
      return readHistoryFile(JSON.stringify({ ...FILE, steps: Array.from({ length: steps }, () => step) }));
    };
    expect(read({ steps: 1_000, depth: 12, id: 200 })?.history.steps).toHaveLength(1_000);
    for (const over of [{ steps: 1_001 }, { depth: 13 }, { id: 201 }]) expect([over, read(over)]).toEqual([over, null]);
  });

  test.prop([fc.nat(40), fc.jsonValue()])(
    'with one member replaced is refused or read with the right types',
    async (at, value) => {
      let left = at;
      const twisted: unknown = JSON.parse(JSON.stringify(FILE), (_, one: unknown) => (left-- === 0 ? value : one));
      const file = readHistoryFile(JSON.stringify(twisted) ?? '');
      for (const step of file?.history.steps ?? []) {
        expect([typeof step.sequence, typeof step.at, typeof step.event.id, typeof step.event.type]).toEqual([
          'number',
          'string',
          'string',
          'string',
        ]);
        for (const { id, status, attempts } of step.deliveries)
          expect([typeof id, typeof status, typeof attempts]).toEqual(['string', 'string', 'number']);
      }
    },
  );
});
