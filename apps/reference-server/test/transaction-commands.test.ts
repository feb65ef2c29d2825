import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { call, eventually, postAsDemo, readyServer, type ReadyServer } from './running-server.js';

const KEY = { authorization: `Bearer ${DEMO_KEYS.secret}` };

let database: ScratchDatabase;
let settings: Readonly<Record<string, string>>;
let server: ReadyServer;

beforeAll(async () => {
  ({ database, settings } = await migratedDatabase({ GATE_DEMO: 'on', GATE_TEST_CLOCK: 'on' }));
  server = await readyServer(settings);
});
afterAll(async () => {
  server?.process.kill('SIGKILL');
  await database.drop();
});

async function paid(): Promise<string> {
  const terms = { amount: '100.00', currency: 'EUR', return_url: `${server.origins.demo}/done` };
  const { id } = await postAsDemo(server, '/v1/gate_sessions', terms, 'order');
  const simulate = `/v1/test_helpers/gate_sessions/${String(id)}/simulate`;
  const paid = await postAsDemo(server, simulate, { scenario: 'succeed' }, 'pay');
  return String(paid['tx_refid']);
}

it('gate transactions refund commits a refund with its reason, which a running server makes once', async () => {
  const refid = await paid();
  const command = `transactions refund ${refid} --amount 20.00 --key one`;
  expect(await runGate(command, settings)).toMatchObject({
    code: 2,
    err: expect.stringContaining("required option '--reason <text>' not specified"),
  });
  const refund = () => runGate(`${command} --reason damaged --actor ada --json`, settings);
  const committed = await refund();
  expect(committed.code, committed.err).toBe(0);
  expect(JSON.parse(committed.out)).toMatchObject({ refid, refunds: [{ status: 'pending', amount: '20.00' }] });
  expect((await refund()).out).toBe(committed.out);
  const read = async () => (await call(`${server.origins.sandbox}/v1/transactions/${refid}`, KEY)).json;
  const made = await eventually(async () => {
    const json = await read();
    return json['amount_refunded'] === null ? null : json;
  });
  expect(made).toMatchObject({ amount_refunded: '20.00', refunds: [{ status: 'succeeded', reason: 'damaged' }] });

  expect(await runGate(`transactions refund ${refid} --amount 80.01 --reason more`, settings)).toMatchObject({
    code: 1,
    err: expect.stringContaining('At most 80.00 EUR of this transaction can still be refunded'),
  });
  expect(await runGate('transactions refund gtx_none --reason more', settings)).toMatchObject({ code: 1 });
  const entries: unknown = JSON.parse((await runGate('audit list --limit 1 --json', settings)).out);
  expect(entries).toMatchObject([
    { action: 'transaction.refund', reason: 'damaged', actor: { type: 'cli', id: 'ada' } },
  ]);
});
