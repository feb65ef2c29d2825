import { REJECTED_DOCUMENT_MARK, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { DocumentAnswer, DocumentOrder, Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate, type TestResponse } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { attemptBody, CARDS, scopeOf } from './checkout.js';

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1);
const SIDES = ['front', 'back', 'selfie'] as const;
const SUBMITTED = { action: 'kyc', kyc: { documents: 'submitted' } };
const MB = 1024 * 1024;

interface Upload {
  readonly type?: string;
  readonly bytes?: Uint8Array | string;
}

/** An attempt of 17.00 (documents are reviewed immediately) or 17.50 (within 30 seconds). */
async function asked(t: TestGate, amount: string) {
  const session = await t.createSession({ amount });
  const headers = { 'x-embed-token': await t.embed(session) };
  const begun = await t.request('POST', '/v1/embed/intents', { headers, body: attemptBody(amount, CARDS.pays) });
  const path = `/v1/embed/intents/${String(begun.json['id'])}`;
  const upload = (side: string, { type = 'image/png', bytes = PNG }: Upload = {}): Promise<TestResponse> =>
    t.request('POST', `${path}/documents/${side}`, { headers: { ...headers, 'content-type': type }, body: bytes });
  return {
    session,
    begun,
    headers,
    upload,
    uploadAll: async () => {
      for (const side of SIDES) expect((await upload(side)).status).toBe(200);
    },
    confirm: (body: unknown = SUBMITTED) => t.request('POST', `${path}/confirm`, { headers, body }),
    look: () => t.request('GET', path, { headers }),
    cancel: () => t.request('POST', `${path}/cancel`, { headers }),
  };
}

/** The sandbox, which receives documents through `receive`. */
function receiving(receive: (order: DocumentOrder) => Promise<DocumentAnswer>): Provider {
  return { ...sandboxProvider(), receiveDocument: receive };
}

const codeOf = ({ status, json }: TestResponse) => [status, json['code']];

it('each side can be uploaded once, repeatedly and in any order, and the payment continues after the submission', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '17.00');
  const waiting = { type: 'kyc', level: 'document', fields: [], documents: SIDES, in_review: false };
  expect(buyer.begun.json['next_action']).toEqual({ ...waiting, received: [] });

  expect((await buyer.upload('selfie')).json['next_action']).toEqual({ ...waiting, received: ['selfie'] });
  const early = await buyer.confirm();
  expect([...codeOf(early), early.json['message']]).toEqual([
    409,
    'intent_not_confirmable',
    'The intent still waits for documents: front, back.',
  ]);
  expect((await buyer.upload('front')).json['next_action']).toEqual({ ...waiting, received: ['front', 'selfie'] });
  expect((await buyer.upload('selfie')).json['next_action']).toEqual({ ...waiting, received: ['front', 'selfie'] });
  await buyer.upload('back', { type: 'application/pdf', bytes: '%PDF-1.7' });
  expect((await buyer.look()).json['next_action']).toEqual({ ...waiting, received: SIDES });

  expect((await buyer.confirm()).json).toMatchObject({ status: 'processing', next_action: null });
  await t.clock.advance('1m');
  expect((await buyer.look()).json['status']).toBe('succeeded');
});

it('a review survives leaving the checkout, holds no session, and ends on its own', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '17.50');
  await buyer.uploadAll();
  const { status, json } = await buyer.confirm();
  expect([status, json['status']]).toEqual([200, 'requires_action']);
  expect(json['next_action']).toMatchObject({ in_review: true, received: SIDES });
  expect(json['expires_at']).toBe(buyer.session.expires_at);
  expect((await t.store.find('session', scopeOf(t), buyer.session.id))?.heldSince).toBeNull();

  expect(codeOf(await buyer.confirm())).toEqual([409, 'intent_not_confirmable']);
  expect(codeOf(await buyer.upload('front'))).toEqual([409, 'intent_not_confirmable']);
  await t.clock.advance('29s');
  expect((await buyer.look()).json['next_action']).toMatchObject({ in_review: true });
  await t.clock.advance('1s');
  expect((await buyer.look()).json['status']).toBe('processing');
  await t.clock.advance('1m');
  expect((await t.retrieveSession(buyer.session.id)).status).toBe('completed');
  expect(t.deliveries().map(({ type }) => type)).toEqual([
    'gate_session.created',
    'kyc.required',
    'gate_session.processing',
    'gate_session.completed',
  ]);
});

it('a rejected document fails the attempt with kyc_rejected, and moves no money', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '17.50');
  await buyer.uploadAll();
  await buyer.upload('back', { bytes: new Uint8Array([...PNG, ...Buffer.from(REJECTED_DOCUMENT_MARK)]) });
  await buyer.confirm();
  await t.clock.advance('30s');
  const { json } = await buyer.look();
  expect([json['status'], json['failure']]).toMatchObject(['failed', { code: 'kyc_rejected', stage: 'kyc' }]);
  const { operationId } = (await t.store.find('intent', scopeOf(t), String(json['id']))) ?? { operationId: '' };
  expect((await t.ledger.read(operationId))?.effects).toEqual([]);
});

it('a review outlasts the time for a required action, and ends with its session or its cancellation', async () => {
  const t = await createTestGate({ ports: { providers: [neverReviewed()] } });
  const left = await asked(t, '17.50');
  await left.uploadAll();
  await left.confirm();
  const cancelled = await asked(t, '17.50');
  await cancelled.uploadAll();
  await cancelled.confirm();
  expect((await cancelled.cancel()).json['status']).toBe('cancelled');

  await t.clock.advance('40m');
  const intents = await t.store.find('intent', scopeOf(t), String(left.begun.json['id']));
  expect(intents?.status).toBe('requires_action');
  await t.clock.advance('24h');
  expect((await t.retrieveSession(left.session.id)).status).toBe('expired');
  expect((await t.store.find('intent', scopeOf(t), String(left.begun.json['id'])))?.status).toBe('cancelled');
});

function neverReviewed(): Provider {
  const sandbox = sandboxProvider();
  const unanswered = <Answer extends object>(answer: Answer) => ({ ...answer, checkAfterMs: null });
  return { ...sandbox, confirm: async (order) => unanswered(await sandbox.confirm(order)) };
}

it('a look-up during uploads removes none of them and extends no deadline', async () => {
  const sandbox = sandboxProvider();
  const provider: Provider = {
    ...sandbox,
    start: async (order) => ({ ...(await sandbox.start(order)), checkAfterMs: 60_000 }),
  };
  const t = await createTestGate({ ports: { providers: [provider] } });
  const buyer = await asked(t, '17.00');
  await buyer.upload('front');
  await t.clock.advance('5m');
  const { json } = await buyer.look();
  expect(json['next_action']).toMatchObject({ received: ['front'] });
  expect(json['expires_at']).toBe(buyer.begun.json['expires_at']);
});

it('documents that are not complete in time fail the attempt as an abandoned identity check', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '17.00');
  await buyer.upload('front');
  await t.clock.advance('31m');
  expect((await buyer.look()).json).toMatchObject({ status: 'failed', failure: { code: 'kyc_abandoned' } });
  expect(codeOf(await buyer.upload('back'))).toEqual([409, 'intent_not_confirmable']);
});

it('a simulated scenario ends the wait for documents and their review', async () => {
  const t = await createTestGate();
  for (const isSubmitted of [false, true]) {
    for (const [scenario, status] of [
      ['succeed', 'succeeded'],
      ['kyc_rejected', 'failed'],
    ] as const) {
      const buyer = await asked(t, '17.50');
      if (isSubmitted) {
        await buyer.uploadAll();
        await buyer.confirm();
      }
      const path = `/v1/test_helpers/gate_sessions/${buyer.session.id}/simulate`;
      const { json } = await t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
      expect([isSubmitted, scenario, json['status']]).toEqual([isSubmitted, scenario, status]);
    }
  }
});

it('a file is refused for its type, size, content or side before the provider receives it', async () => {
  const seen: DocumentOrder[] = [];
  const provider = receiving(async (order) => {
    seen.push(order);
    return { kind: 'received' };
  });
  const t = await createTestGate({ ports: { providers: [provider] } });
  const { upload, confirm } = await asked(t, '17.00');
  const large = (size: number) => {
    const bytes = new Uint8Array(size);
    bytes.set(PNG);
    return bytes;
  };
  for (const type of ['image/gif', 'text/html', 'application/json', 'image/svg+xml'])
    expect(codeOf(await upload('front', { type }))).toEqual([415, 'unsupported_media_type']);
  expect(codeOf(await upload('front', { bytes: large(10 * MB + 1) }))).toEqual([413, 'body_too_large']);
  for (const bytes of ['', '<html>', '%PDF-1.7', Uint8Array.of(0xff, 0xd8, 0xff), PNG.subarray(0, 7)])
    expect(codeOf(await upload('front', { bytes }))).toEqual([400, 'validation_failed']);
  expect(codeOf(await upload('spine'))).toEqual([400, 'validation_failed']);
  expect(codeOf(await confirm({ action: 'kyc', kyc: { first_name: 'Ada' } }))).toEqual([400, 'validation_failed']);
  expect(seen).toEqual([]);

  expect((await upload('front', { type: 'Image/PNG; charset=binary', bytes: large(10 * MB) })).status).toBe(200);
  expect(seen.map(({ side, mediaType, bytes }) => [side, mediaType, bytes.byteLength])).toEqual([
    ['front', 'image/png', 10 * MB],
  ]);
});

it('an intent without requested documents accepts none, and cannot be confirmed with them', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '14.50');
  expect(codeOf(await buyer.upload('front'))).toEqual([409, 'intent_not_confirmable']);
  const kyc = { first_name: 'Ada', last_name: 'L', date_of_birth: '1990-01-01', document_number: 'X1' };
  const { json } = await buyer.confirm({ action: 'kyc', kyc: { ...kyc, documents: 'submitted' } });
  expect(json['errors']).toMatchObject([{ field: 'kyc.documents', code: 'not_used' }]);
});

it('a side that the provider did not accept stays missing until it is uploaded again', async () => {
  const answers: (DocumentAnswer | Error)[] = [
    new Error('boom'),
    { kind: 'not_sent', retryable: true, reason: 'down' },
    { kind: 'received' },
  ];
  const provider = receiving(async () => {
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
    return answer;
  });
  const t = await createTestGate({ ports: { providers: [provider] } });
  const buyer = await asked(t, '17.00');
  expect(codeOf(await buyer.upload('front'))).toEqual([503, 'try_again']);
  expect(codeOf(await buyer.upload('front'))).toEqual([503, 'try_again']);
  expect((await buyer.look()).json['next_action']).toMatchObject({ received: [] });
  expect((await buyer.upload('front')).json['next_action']).toMatchObject({ received: ['front'] });
  expect(t.telemetry.failures).toHaveLength(2);
});

/** An image whose upload starts and never ends. */
function endless(t: TestGate, { begun, headers }: Pick<Awaited<ReturnType<typeof asked>>, 'begun' | 'headers'>) {
  const cancelled: unknown[] = [];
  let begin: () => void = () => undefined;
  const reading = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const body = new ReadableStream<Uint8Array>(
    { pull: () => begin(), cancel: (why) => void cancelled.push(why) },
    new CountQueuingStrategy({ highWaterMark: 0 }),
  );
  const url = `https://gate.test/v1/embed/intents/${String(begun.json['id'])}/documents/front`;
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'image/png' }, body, duplex: 'half' } as const;
  const answer = t.gate.fetch(new Request(url, sent), { mode: 'test', clientIp: '192.0.2.1' });
  return { answer, reading, cancelled };
}

it('uploading a side again stops the reading of the earlier file', async () => {
  const t = await createTestGate();
  const buyer = await asked(t, '17.00');
  const { answer, reading, cancelled } = endless(t, buyer);
  await reading;
  expect((await buyer.upload('front')).status).toBe(200);
  expect((await answer).status).toBe(408);
  expect(cancelled).toHaveLength(1);
});

it('a file that is not requested is refused before it has arrived', async () => {
  const t = await createTestGate();
  expect((await endless(t, await asked(t, '14.50')).answer).status).toBe(409);
});

it('if the provider requests documents again after the submission, all must be uploaded again, with a new deadline', async () => {
  const sandbox = sandboxProvider();
  let isAsking = true;
  const provider: Provider = {
    ...sandbox,
    confirm: async (order) => {
      const again = isAsking ? await sandbox.lookup(order) : null;
      isAsking = false;
      return again ?? sandbox.confirm(order);
    },
  };
  const t = await createTestGate({ ports: { providers: [provider] } });
  const buyer = await asked(t, '17.00');
  await buyer.uploadAll();
  await t.clock.advance('5m');
  const { json } = await buyer.confirm();
  expect(json['next_action']).toMatchObject({ received: [], in_review: false });
  expect(Date.parse(String(json['expires_at'])) - Date.parse(String(buyer.begun.json['expires_at']))).toBe(300_000);
  expect(codeOf(await buyer.confirm())).toEqual([409, 'intent_not_confirmable']);
  await buyer.uploadAll();
  expect((await buyer.confirm()).json['status']).toBe('processing');
});

it('a submission whose response was lost is repeated', async () => {
  const sandbox = sandboxProvider();
  let isLost = true;
  const provider: Provider = {
    ...sandbox,
    confirm: async (order) => {
      if (!isLost) return sandbox.confirm(order);
      isLost = false;
      throw new Error('the connection broke before the provider had it');
    },
  };
  const t = await createTestGate({ ports: { providers: [provider] } });
  const buyer = await asked(t, '17.50');
  await buyer.uploadAll();
  await buyer.confirm();
  await t.clock.advance('2m');
  expect((await buyer.look()).json['status']).toBe('succeeded');
});

it('a token cannot upload to an intent of another session', async () => {
  const t = await createTestGate();
  const one = await asked(t, '17.00');
  const other = await asked(t, '17.00');
  const path = `/v1/embed/intents/${String(one.begun.json['id'])}/documents/front`;
  const headers = { 'content-type': 'image/png' };
  const sent = (token: Readonly<Record<string, string>>) =>
    t.request('POST', path, { headers: { ...headers, ...token }, body: PNG });
  expect(codeOf(await sent(other.headers))).toEqual([404, 'intent_not_found']);
  expect(codeOf(await sent({}))).toEqual([401, 'invalid_embed_token']);
});
