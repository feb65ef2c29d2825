import { fetchSubject } from '@gateramp/conformance';
import { expect, it } from 'vitest';
import { describedRequestLaws, httpContractLaws } from '../index.js';
import { expectDescribedEvent, type HttpSubject, type MountedHost, type WireResponse } from '../kit.js';

/** A law whose answers are checked against the document: a session is created, read and listed. */
const LAW = 'GET /v1/gate_sessions/{id} answers 200 on the test host to what it asks for';

type Bend = (answer: WireResponse, path: string) => WireResponse;

const ONE = /^\/v1\/gate_sessions\/[0-9a-f]{24}$/;

const DEVIATIONS: readonly (readonly [what: string, bend: Bend, says: RegExp])[] = [
  ['an undocumented member', inBody((body) => ({ ...body, colour: 'red' })), /"additionalProperty":"colour"/],
  ['a member left out', inBody(({ currency: _, ...rest }) => rest), /"missingProperty":"currency"/],
  ['a member of another type', inBody((body) => ({ ...body, amount: 100 })), /\/amount must be string/],
  ['a status that is not listed', (answer) => ({ ...answer, status: 206 }), /lists no such status/],
  ['no body where one is promised', (answer) => ({ ...answer, body: '' }), /without the body/],
];

function inBody(bend: (body: Readonly<Record<string, unknown>>) => unknown): Bend {
  return (answer) => {
    const read = JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
    return { ...answer, body: JSON.stringify(bend(read)) };
  };
}

function bent(bend: Bend): HttpSubject {
  const subject = fetchSubject();
  return {
    mount: async (gate, mode): Promise<MountedHost> => {
      const host = await subject.mount(gate, mode);
      return {
        ...host,
        send: async (request) => {
          const answer = await host.send(request);
          return ONE.test(request.path) ? bend(answer, request.path) : answer;
        },
      };
    },
  };
}

function lawCalled(title: string) {
  const law = httpContractLaws.find((one) => one.title === title);
  if (law === undefined) throw new Error(`No law ${title}.`);
  return law;
}

it('an answer as the document has it passes', async () => {
  await lawCalled(LAW).run(bent((answer) => answer));
});

it.each(DEVIATIONS)('%s is seen', async (_, bend, says) => {
  await expect(lawCalled(LAW).run(bent(bend))).rejects.toThrow(says);
});

it('a refusal with a code that is not listed for its endpoint is seen', async () => {
  const other = inBody((body) => ({ ...body, code: 'quote_not_found', doc_url: '/docs#quote_not_found' }));
  const law = lawCalled(
    "GET /v1/gate_sessions/{id} answers 404 session_not_found to an unknown or malformed id, another partner's and the other mode's",
  );
  await expect(law.run(bent(other))).rejects.toThrow(/must be equal to one of the allowed values/);
});

it('an event that the document does not have, or with data that it does not have, is seen', () => {
  const event = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', created_at: 1, sequence: 1, livemode: false, data: {} };
  expect(() => expectDescribedEvent(JSON.stringify({ ...event, type: 'gate_session.complete' }))).toThrow(
    /has no event/,
  );
  const created = JSON.stringify({ ...event, type: 'gate_session.created' });
  expect(() => expectDescribedEvent(created)).toThrow(/"missingProperty":"id"/);
});

it('requests written from the document meet the deviation too', async () => {
  const [law] = describedRequestLaws({ runs: 500, seed: 1 });
  const met = await law?.run(bent(inBody((body) => ({ ...body, colour: 'red' })))).catch((error: unknown) => error);
  expect(met).toMatchObject({ cause: { message: expect.stringMatching(/"additionalProperty":"colour"/) } });
});
