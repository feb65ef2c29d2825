import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Confirmation, Provider, ProviderAnswer } from '@gateramp/core/ports';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { checkout } from './checkout.js';

/** The sandbox, requesting only a first name. */
function asksForAFirstName(heard: Confirmation[]): Provider {
  const sandbox = sandboxProvider();
  const bent = (answer: ProviderAnswer): ProviderAnswer => {
    const { outcome } = answer;
    if (outcome.kind !== 'requires_action' || outcome.nextAction.type !== 'kyc') return answer;
    return { ...answer, outcome: { ...outcome, nextAction: { ...outcome.nextAction, fields: ['first_name'] } } };
  };
  return {
    ...sandbox,
    start: async (order) => bent(await sandbox.start(order)),
    confirm: (order) => {
      heard.push(order.confirmation);
      return sandbox.confirm(order);
    },
  };
}

it('an identity check requires exactly the fields that it lists', async () => {
  const heard: Confirmation[] = [];
  const t = await createTestGate({ ports: { providers: [asksForAFirstName(heard)] } });
  const opened = await checkout(t, { amount: '14.50' });
  const { id, next_action: action } = (await opened.begin()).json;
  expect(action).toMatchObject({ type: 'kyc', fields: ['first_name'] });

  const other = await opened.confirm(String(id), { action: 'kyc', kyc: { last_name: 'Lovelace' } });
  expect([other.status, other.json['errors']]).toMatchObject([400, [{ field: 'kyc.first_name', code: 'required' }]]);
  expect(heard).toEqual([]);

  const answered = await opened.confirm(String(id), { action: 'kyc', kyc: { first_name: 'Ada' } });
  expect([answered.status, answered.json['status']]).toEqual([200, 'processing']);
  expect(heard).toEqual([
    { action: 'kyc', kyc: { firstName: 'Ada', lastName: null, dateOfBirth: null, documentNumber: null } },
  ]);
});

it('a birth date in the future in every time zone is refused at its field, without a provider call', async () => {
  const t = await createTestGate();
  const opened = await checkout(t, { amount: '14.50' });
  const { id } = (await opened.begin()).json;
  const dayIn = (hours: number) => new Date(t.clock.now('test') + hours * 3_600_000).toISOString().slice(0, 10);
  const kyc = { first_name: 'Ada', last_name: 'Lovelace', document_number: 'X1' };
  const born = (day: string) => opened.confirm(String(id), { action: 'kyc', kyc: { ...kyc, date_of_birth: day } });
  for (const day of [dayIn(14 + 24), '9999-12-31']) {
    const refused = await born(day);
    expect([refused.status, refused.json['code']]).toEqual([400, 'validation_failed']);
    expect(refused.json['errors']).toMatchObject([{ field: 'kyc.date_of_birth', code: 'invalid' }]);
    expect(refused.text).not.toContain(day);
  }
  expect((await opened.look(String(id))).json).toMatchObject({ status: 'requires_action' });
  expect((await born(dayIn(14))).status).toBe(200);
});
