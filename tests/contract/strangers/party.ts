import { isRecord } from '@gateramp/core/domain';
import type { Mode, Partner } from '@gateramp/core';
import { TEST_KEYS } from '@gateramp/testing';
import {
  type Answer,
  CREATE_BODY,
  expectStatus,
  freshKey,
  type HttpWorld,
  nameOf,
  type Route,
  ROUTES,
  sendTo,
  type Sent,
  SHOP,
  textOf,
} from '../kit.js';

/** A partner in one mode, with its credentials. */
export interface Party {
  readonly name: string;
  readonly mode: Mode;
  readonly secret: string;
  readonly publishable: string;
  /** Of one of its own sessions. */
  readonly token: string;
  /** All ids that answers have shown to it. */
  readonly ids: ReadonlySet<string>;
}

/** Two partners in two modes, each of which has used every route once. */
export async function admitParties(world: HttpWorld): Promise<readonly Party[]> {
  const rival = await admitRival(world);
  const parties: Party[] = [];
  for (const mode of ['test', 'live'] as const) {
    const { secret, publishable } = TEST_KEYS;
    const own = { name: `the partner in ${mode} mode`, mode, secret: secret[mode], publishable: publishable[mode] };
    const other = { name: `its rival in ${mode} mode`, mode, ...rival[mode] };
    for (const one of [own, other]) {
      const begun = { ...one, token: await tokenFor(world, one), ids: new Set<string>() };
      parties.push({ ...begun, ids: await idsShown(world, begun) });
    }
  }
  return parties;
}

/** `sent` with the party's credential of that kind, and an unused key. */
export function asParty(party: Party, route: Route, sent: Sent): Sent {
  const { key: _key, token: _token, ...rest } = sent;
  const fresh = route.idempotency === 'required' ? { idempotencyKey: freshKey() } : {};
  const credential =
    route.auth === 'embed'
      ? { token: party.token }
      : { key: route.auth === 'publishable' ? party.publishable : party.secret };
  return { ...rest, ...fresh, ...credential, mode: party.mode };
}

export function servedTo(party: Party): readonly Route[] {
  return ROUTES.filter((route) => route.auth !== 'none' && route.hosts.includes(party.mode));
}

type Keys = Pick<Party, 'secret' | 'publishable'>;

/** The rival, with keys in both modes and a webhook URL. */
export async function admitRival({ t }: HttpWorld): Promise<Readonly<Record<Mode, Keys>>> {
  const { admin } = t.gate;
  const rival: Partner = { ...t.partner, id: '65f0c0ffee65f0c0ffee0002', name: 'Rival' };
  await admin.savePartner(rival);
  const keysOf = (mode: Mode): Keys => ({
    secret: `sk_${mode}_000000000000000rivalsecret`,
    publishable: `pk_${mode}_000000000000000rivalpublic`,
  });
  const keys = { test: keysOf('test'), live: keysOf('live') };
  for (const mode of ['test', 'live'] as const) {
    const { secret, publishable } = keys[mode];
    await admin.addKey(rival.id, secret);
    await admin.addKey(rival.id, publishable);
    // The webhook tooling requires a webhook URL.
    const endpoint = { url: `${SHOP}/rival-hooks`, secret: 'whsec_000000000000000rivalhooks' };
    await admin.setEndpoint({ partnerId: rival.id, mode }, endpoint);
  }
  return keys;
}

/** A token of a session that is created with these keys. */
export async function tokenFor(
  world: HttpWorld,
  { mode, secret, publishable }: Pick<Party, 'mode' | 'secret' | 'publishable'>,
): Promise<string> {
  const create = { mode, key: secret, idempotencyKey: freshKey(), body: CREATE_BODY };
  const session = expectStatus(await world.send('POST', '/v1/gate_sessions', create), 201).json;
  const body = { clientSecret: textOf(session, 'client_secret') };
  const opened = await world.send('POST', '/v1/embed/bootstrap', { mode, key: publishable, origin: SHOP, body });
  return textOf(expectStatus(opened, 200).json, 'embed_token');
}

/** Calls every route that takes no id, and so creates or lists the party's own objects. */
async function idsShown(world: HttpWorld, party: Party): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const own = party.secret === TEST_KEYS.secret[party.mode];
  for (const route of servedTo(party)) {
    if (!own && route.template.includes('{')) continue;
    const sample = await route.sample(world, party.mode);
    if (!own && holdsId(sample.sent.body)) continue;
    // A cancel ends the session of all other embed calls of the party.
    const caller = isEnding(route) ? { ...party, token: await tokenFor(world, party) } : party;
    const sent = own ? sample.sent : asParty(caller, route, sample.sent);
    const answer = await sendTo(world, route, { path: sample.path, sent });
    if (answer.status !== route.success)
      throw new Error(`${nameOf(route)} answered ${party.name} ${answer.status} ${answer.text}`);
    for (const id of idsIn(answer.json)) ids.add(id);
  }
  return ids;
}

const isEnding = ({ template }: Route): boolean => template === '/v1/embed/session/cancel';

/** Whether a body refers to an existing object. */
export function holdsId(body: unknown): boolean {
  // A client secret contains the id of its session.
  const names = (name: string) => isIdName(name) || name === 'clientSecret';
  return isRecord(body) && Object.entries(body).some(([name, value]) => names(name) && typeof value === 'string');
}

/** Excludes ids of partners, which are expected, and the id of the answer itself. */
function isIdName(name: string): boolean {
  return /(^|_)(ref)?id$|[a-z]Id$/.test(name) && !['partner_id', 'request_id'].includes(name);
}

function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? (isIdName(name) ? [inner] : []) : name === 'partner' ? [] : idsIn(inner),
  );
}

/** An answer without its individual values. */
export function shapeOf({ status, json }: Answer): unknown {
  const { request_id: _, ...rest } = json;
  return { status, ...rest };
}
