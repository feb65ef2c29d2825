import assert from 'node:assert/strict';
import { DAY } from '@gateramp/core/domain';
import {
  type Answer,
  BY_KEY,
  BY_TOKEN,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  nameOf,
  type Route,
  unknownPath,
} from '../kit.js';
import { admitParties, asParty, holdsId, servedTo, shapeOf, type Party } from './party.js';

const TOPIC = 'HTTP: strangers';

const DAYS = 6 * DAY;

const ENTITLED = {
  partner: { entitlements: ['swap', 'rails', 'pools'] },
  // The law lets days pass, since deliveries are retried that long.
  policy: { embedTokenLifetime: DAYS, sessionLifetime: DAYS },
} as const;

const WITH_CREDENTIAL = [...BY_KEY, ...BY_TOKEN];

/** Objects named in the path or body are looked up among the caller's own: another's is treated as unknown. */
const named = httpLaw(
  TOPIC,
  'every route answers another partner and the other mode as if what they name in path or body did not exist',
  async (world) => {
    const parties = await admitParties(world);
    const walked = new Set<Route>();
    for (const [mode, owner] of [
      ['test', parties[0]],
      ['live', parties[2]],
    ] as const) {
      for (const route of WITH_CREDENTIAL.filter(({ hosts }) => hosts.includes(mode))) {
        const { path, sent } = await route.sample(world, mode);
        if (!route.template.includes('{') && !holdsId(sent.body)) continue;
        walked.add(route);
        for (const stranger of parties.filter((one) => one !== owner && route.hosts.includes(one.mode))) {
          const answer = await world.send(route.method, path, asParty(stranger, route, sent));
          const where = `${nameOf(route)} of ${owner?.name}, asked for by ${stranger.name}: ${answer.status} ${answer.text}`;
          assert.match(String(answer.json['code']), /^(?!route_)[a-z_]+_not_found$/, where);
          assert.equal(answer.status, 404, where);
          await expectLikeUnknown(world, route, stranger, sent, answer);
        }
      }
    }
    for (const route of WITH_CREDENTIAL) assert.ok(walked.has(route) || !route.template.includes('{'), nameOf(route));
  },
  ENTITLED,
);

async function expectLikeUnknown(
  world: HttpWorld,
  route: Route,
  stranger: Party,
  sent: Parameters<typeof asParty>[2],
  answer: Answer,
): Promise<void> {
  if (!route.template.includes('{')) return;
  const unknown = await world.send(route.method, unknownPath(route), asParty(stranger, route, sent));
  assert.deepEqual(shapeOf(answer), shapeOf(unknown), 'what is another’s is answered unlike what is unknown');
}

/** The number of ids of each other party that are tried as cursors of each list. */
const CURSORS_MAX = 12;

const shown = httpLaw(
  TOPIC,
  'no answer to one partner in one mode shows an id of another, whatever the route, filter or cursor',
  async (world) => {
    const parties = await admitParties(world);
    for (const party of parties) {
      const others = parties.filter((one) => one !== party);
      for (const other of others)
        for (const id of other.ids) assert.ok(!party.ids.has(id), `${id} of ${other.name} was shown to ${party.name}`);
      for (const route of servedTo(party).filter(({ method, template }) => method === 'GET' && !template.includes('{')))
        await expectOwnOnly(world, party, route, others);
    }
  },
  ENTITLED,
);

async function expectOwnOnly(world: HttpWorld, party: Party, route: Route, others: readonly Party[]): Promise<void> {
  const ask = (query: string) => world.send('GET', `${route.template}${query}`, asParty(party, route, {}));
  const whole = await ask('');
  assert.equal(whole.status, route.success, whole.text);
  const foreign = others.flatMap((other) => [...other.ids]);
  for (const id of foreign) assert.ok(!whole.text.includes(id), `${nameOf(route)} shows ${party.name} ${id}`);
  if (!('has_more' in whole.json)) return;
  for (const id of others.flatMap((other) => [...other.ids].slice(0, CURSORS_MAX))) {
    for (const cursor of ['starting_after', 'ending_before']) {
      const page = await ask(`?${cursor}=${encodeURIComponent(id)}`);
      assert.ok(page.status === 404 || page.status === 400, `${cursor} of another led somewhere: ${page.text}`);
    }
  }
}

export const strangerLaws: readonly Law<HttpSubject>[] = [named, shown];
