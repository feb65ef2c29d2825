import assert from 'node:assert/strict';
import { PAGE_PATHS } from '@gateramp/extensions/api-document';
import {
  type Answer,
  expectStatus,
  type HostName,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  OPERATIONS,
  SERVED,
} from '../kit.js';
import { credentialsWith } from './bad-credentials.js';
import { cellOf, FAULTS, isRestriction, ROWS, scopeOf, type Fault, type Row } from './matrix.js';

const TOPIC = 'HTTP: credentials';

const WHEN: Readonly<Record<Fault, string>> = {
  missing: 'without a credential',
  malformed: 'to a malformed credential',
  wrong_mode: "to the other mode's credential, known or not",
  wrong_type: 'to a credential of the wrong type',
  unknown: 'to an unknown credential',
  revoked: 'to a revoked key',
  expired: 'to an expired credential',
  not_cleared: 'to a partner that is not cleared for live',
  suspended: 'to a suspended partner',
  not_entitled: 'to a partner without any entitlement',
  other_partner: 'to another partner',
  out_of_scope: 'to a key with every scope but those that allow it',
  own_scope: 'to a key with no other scope',
  other_address: 'to a key that is used from an address it may not be used from',
};

/** All cells of the table, each on the hosts where the fault can occur. */
const cells: readonly Law<HttpSubject>[] = ROWS.flatMap((row) =>
  FAULTS.flatMap((fault) =>
    hostsFor(row, fault).map((host) => {
      const cell = cellOf(row, host, fault);
      const answers = cell === 'served' ? `serves ${row.success}` : `answers ${cell.join(' ')}`;
      return httpLaw(TOPIC, `${row.name} on the ${host} host ${answers} ${WHEN[fault]}`, (world) =>
        expectCell(world, row, host, fault),
      );
    }),
  ),
);

function isOfSecretKeys({ kind }: Row): boolean {
  return kind === 'secret' || kind === 'pools_secret' || kind === 'pools_any';
}

/** Refusals by a key's mode or clearance depend on the host; all others have one code. */
function hostsFor(row: Row, fault: Fault): readonly HostName[] {
  const { hosts } = row;
  if (fault === 'not_cleared') return hosts.filter((host) => host !== 'test');
  if (isRestriction(fault) && !isOfSecretKeys(row)) return [];
  return fault === 'wrong_mode' || fault === 'not_entitled' ? hosts : hosts.slice(0, 1);
}

async function expectCell(world: HttpWorld, row: Row, host: HostName, fault: Fault): Promise<void> {
  const { path, sent } = await row.sample(world, host);
  const { key: _key, token: _token, headers: own, ...rest } = sent;
  const cell = cellOf(row, host, fault);
  for (const { headers, ...credential } of await credentialsWith(fault, world, row, host, sent)) {
    const answer = await world.send(row.method, path, { ...rest, ...credential, headers: { ...own, ...headers } });
    if (cell === 'served') expectStatus(answer, row.success);
    else assert.deepEqual(verdict(answer), { status: cell[0], type: TYPES[cell[0]], code: cell[1] }, answer.text);
  }
}

const TYPES: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' };

function verdict({ status, json }: Answer) {
  return { status, type: json['type'], code: json['code'] };
}

/** The security requirement of each kind in the document. */
const SECURITY: Readonly<Record<Row['kind'], readonly string[]>> = {
  secret: ['secret'],
  publishable: ['publishable'],
  pools_secret: ['secret'],
  pools_any: ['publishable', 'secret'],
  embed: ['embed'],
  none: [],
};

const complete = httpLaw(
  TOPIC,
  'every endpoint has its row here, asks for what its row says, and the document lists every route and no other',
  async () => {
    const served = SERVED.endpoints.map(({ method, path }) => `${method} ${path}`).sort();
    const pages = PAGE_PATHS.map((path) => `GET ${path}`);
    assert.deepEqual(ROWS.map(({ name }) => name).sort(), served);
    assert.deepEqual(OPERATIONS.map(({ name }) => name).sort(), [...served, ...pages].sort());
    for (const row of ROWS) {
      const operation = OPERATIONS.find(({ name }) => name === row.name);
      assert.deepEqual([...(operation?.security ?? [])].sort(), SECURITY[row.kind], row.name);
      assert.deepEqual(operation?.scope ?? null, scopeOf(row), row.name);
      assert.deepEqual([...(operation?.hosts ?? [])].sort(), [...row.hosts].sort(), row.name);
    }
    for (const { method, path, requires } of SERVED.endpoints)
      assert.equal(
        ROWS.find(({ name }) => name === `${method} ${path}`)?.product,
        requires?.entitlement ?? null,
        `${method} ${path}`,
      );
  },
);

export const credentialMatrixLaws: readonly Law<HttpSubject>[] = [complete, ...cells];
