import type { Mode } from '@gateramp/core';
import { KEY_SCOPES, type KeyScope } from '@gateramp/core/domain';
import { nodeCrypto } from '@gateramp/core/runtime';
import { TEST_KEYS } from '@gateramp/testing';
import { type HostName, type HttpWorld, type Sent, SHOP } from '../kit.js';
import { claimsOf, headerOf, unsigned, withClaims, withHeader, withStrayBits } from '../jwt.js';
import { admitRival, tokenFor } from '../strangers/party.js';
import { type Fault, isRestriction, type Restriction, type Row, scopeOf } from './matrix.js';

/** The credential of a request in its headers; the rest of the request is that of the sample. */
export type Credential = Pick<Sent, 'key' | 'token' | 'headers'>;

type KeyType = 'secret' | 'publishable';

const UNKNOWN = '00000000000000000nobodys';
const PREFIX = { secret: 'sk', publishable: 'pk' } as const;

/** Creates the fault, in the world or in the request, and returns all credentials that have it. */
export async function credentialsWith(
  fault: Fault,
  world: HttpWorld,
  row: Row,
  host: HostName,
  good: Sent,
): Promise<readonly Credential[]> {
  const mode: Mode = host === 'test' ? 'test' : 'live';
  if (fault === 'not_cleared') await world.t.gate.admin.savePartner({ ...world.t.partner, liveEnabled: false });
  if (fault === 'suspended') await world.t.gate.admin.suspendPartner(world.t.partner.id);
  if (fault === 'not_entitled') await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
  if (isRestriction(fault)) return [{ key: await restrictedKey(fault, world, mode, scopeOf(row)) }];
  if (row.kind === 'embed') return tokens(fault, world, mode, good.token ?? '');
  return keys(fault, world, mode, row.kind === 'publishable' ? 'publishable' : 'secret');
}

/** Requests of the laws come from this machine, or from the test gate's client. */
const HERE = ['127.0.0.0/8', '::1', '203.0.113.7'];
const ELSEWHERE = ['198.51.100.0/24', '2001:db8::/32'];

async function restrictedKey(
  fault: Restriction,
  { t }: HttpWorld,
  mode: Mode,
  needed: KeyScope | null,
): Promise<string> {
  const key = `sk_${mode}_00000000000${fault}`;
  const isEnough = (scope: KeyScope): boolean => scope === needed || scope === needed?.replace(':read', ':write');
  const scopes = {
    out_of_scope: KEY_SCOPES.filter((scope) => !isEnough(scope)),
    own_scope: [needed ?? 'branding:read'],
    other_address: ['*'],
  } as const satisfies Record<Restriction, unknown>;
  const allowedIps = fault === 'other_address' ? ELSEWHERE : HERE;
  await t.gate.admin.addKey(t.partner.id, key, { scopes: scopes[fault], allowedIps });
  return key;
}

async function keys(
  fault: Exclude<Fault, Restriction>,
  world: HttpWorld,
  mode: Mode,
  type: KeyType,
): Promise<readonly Credential[]> {
  const { admin } = world.t.gate;
  const { id } = world.t.partner;
  const otherType: KeyType = type === 'secret' ? 'publishable' : 'secret';
  const otherMode: Mode = mode === 'test' ? 'live' : 'test';
  switch (fault) {
    case 'missing':
      return [{}];
    case 'malformed':
      return MALFORMED.map((authorization) => ({ headers: { authorization } }));
    case 'wrong_mode':
      // Checked before any look-up, and before the type.
      return [
        { key: TEST_KEYS[type][otherMode] },
        { key: `${PREFIX[type]}_${otherMode}_${UNKNOWN}` },
        { key: `${PREFIX[otherType]}_${otherMode}_${UNKNOWN}` },
      ];
    case 'wrong_type':
      return [{ key: TEST_KEYS[otherType][mode] }];
    case 'unknown':
      return [{ key: `${PREFIX[type]}_${mode}_${UNKNOWN}` }];
    case 'revoked': {
      const key = `${PREFIX[type]}_${mode}_000000000000000torevoke`;
      await admin.addKey(id, key);
      await admin.revokeKey(key);
      return [{ key }];
    }
    case 'expired': {
      const key = `${PREFIX[type]}_${mode}_000000000000000toexpire`;
      await admin.addKey(id, key, { expiresAt: world.t.clock.now(mode) - 1 });
      return [{ key }];
    }
    case 'not_cleared':
    case 'suspended':
    case 'not_entitled':
      return [{ key: TEST_KEYS[type][mode] }];
    case 'other_partner':
      return [{ key: (await admitRival(world))[mode][type] }];
  }
}

const MALFORMED = [
  'Bearer',
  'Bearer nonsense',
  `Basic ${TEST_KEYS.secret.test}`,
  TEST_KEYS.secret.test,
  `Bearer ${TEST_KEYS.secret.test} more`,
  'Bearer sk_prod_0000000000000000testsecret',
  'Bearer rk_test_0000000000000000testsecret',
  'Bearer sk_test_',
  'Bearer sk_test_00000000000000\u00e9',
];

async function tokens(
  fault: Exclude<Fault, Restriction>,
  world: HttpWorld,
  mode: Mode,
  good: string,
): Promise<readonly Credential[]> {
  const otherMode: Mode = mode === 'test' ? 'live' : 'test';
  const own = { mode: otherMode, secret: TEST_KEYS.secret[otherMode], publishable: TEST_KEYS.publishable[otherMode] };
  switch (fault) {
    case 'missing':
      return [{}];
    case 'malformed':
      return [
        'garbage',
        'a.b.c',
        unsigned(good),
        withHeader(good, { ...headerOf(good), alg: 'HS512' }),
        withClaims(good, { ...claimsOf(good), amount: '1.00' }),
        withClaims(good, { ...claimsOf(good), exp: 4102444800 }),
        good.slice(0, good.lastIndexOf('.') + 1),
        `${good}=`,
        withStrayBits(good),
      ].map((token) => ({ token }));
    case 'wrong_mode':
      return [{ token: await tokenFor(world, own) }];
    case 'wrong_type':
      return [{ token: TEST_KEYS.secret[mode] }, { token: TEST_KEYS.publishable[mode] }];
    case 'unknown':
      return [{ token: await anotherInstallation(world, mode) }];
    case 'revoked':
      await world.t.gate.admin.revokeKey(TEST_KEYS.publishable[mode]);
      return [{ token: good }];
    case 'expired':
      await world.t.clock.advance('1h');
      await world.t.clock.advance(1);
      return [{ token: good }];
    case 'not_cleared':
    case 'suspended':
    case 'not_entitled':
      return [{ token: good }];
    case 'other_partner':
      return [{ token: await tokenFor(world, { mode, ...(await admitRival(world))[mode] }) }];
  }
}

/** A token that is valid except that it was signed with another secret. */
async function anotherInstallation({ t }: HttpWorld, mode: Mode): Promise<string> {
  const crypto = nodeCrypto({ masterKey: null, oldMasterKeys: [] });
  const settings = new Map<string, string>();
  await crypto.open({
    readSetting: async (name) => settings.get(name) ?? null,
    listSettings: async () => settings,
    swapSetting: async (name, _, value) => {
      settings.set(name, value);
      return value;
    },
  });
  const now = t.clock.now(mode);
  const key = crypto.hash(TEST_KEYS.publishable[mode]);
  return crypto.signToken(
    { jti: 'j', partner: t.partner.id, mode, key, origin: SHOP, session: null },
    now,
    now + 60_000,
  );
}
