import { bindsLoopbackOnly } from '../demo/has-demo-partner.js';
import type { Environment } from './environment.js';
import { PORT_VARIABLES, VARIABLE_DOCS, VARIABLES, type Variables } from './settings.js';

/** The problems of variables that are valid alone. */
export function conflictsOf(set: Environment): readonly string[] {
  return [sharedPorts, keysWithoutSuccessor, roleProblems, dataDirProblems, missingMasterKey, oidcProblems].flatMap(
    (problems) => problems(set),
  );
}

/** Finds listeners with the same port before any is opened, and reports both names. */
function sharedPorts(set: Environment): readonly string[] {
  const taken = new Map<string, string>();
  return Object.values(PORT_VARIABLES).flatMap((variable) => {
    const text = set[variable] ?? VARIABLE_DOCS[variable]?.usual ?? '0';
    const other = taken.get(text);
    taken.set(text, variable);
    return other === undefined || text === '0' ? [] : [`${variable}: port ${text} is already used by ${other}.`];
  });
}

function keysWithoutSuccessor(set: Environment): readonly string[] {
  if (set['GATE_MASTER_KEYS_OLD'] === undefined || set['GATE_MASTER_KEY'] !== undefined) return [];
  return ['GATE_MASTER_KEYS_OLD: is set without GATE_MASTER_KEY; old keys are only used to decrypt.'];
}

/** Several processes need a shared store, and can share only the clocks of sandboxes. */
function roleProblems(set: Environment): readonly string[] {
  const role = set['GATE_ROLE'];
  const isShared = set['DATABASE_URL'] !== undefined;
  if (role === 'worker' && !isShared && set['GATE_DATA_DIR'] === undefined)
    return ['GATE_ROLE: a worker needs a store shared with other processes; set DATABASE_URL, or use "all".'];
  const isOn = (value: string | undefined) => value === 'on' || value === 'true';
  const hasClock = isOn(set['GATE_TEST_CLOCK']);
  if (!isShared || !hasClock || (role !== 'worker' && role !== 'api')) return [];
  const others = [
    ...(set['GATE_TEST_CLOCK_SCOPE'] === 'mode' ? ['GATE_TEST_CLOCK_SCOPE=mode'] : []),
    ...(isOn(set['GATE_DATABASE_DISTRIBUTED']) ? ['GATE_DATABASE_DISTRIBUTED=on'] : []),
  ];
  return others.map(
    (other) =>
      `GATE_TEST_CLOCK: with ${other} the test clock works in a single process only; turn it off, or use GATE_ROLE=all instead of "${role}".`,
  );
}

/** A folder has a single server, with all roles. */
function dataDirProblems(set: Environment): readonly string[] {
  if (set['GATE_DATA_DIR'] === undefined) return [];
  const role = set['GATE_ROLE'] ?? 'all';
  return [
    ...(set['DATABASE_URL'] === undefined
      ? []
      : [
          'GATE_DATA_DIR: is set together with DATABASE_URL; set only one of them. "gate move" moves the data from the folder to Postgres.',
        ]),
    ...(role === 'all'
      ? []
      : [`GATE_ROLE: a data folder supports a single server only; use "all" instead of "${role}".`]),
  ];
}

function missingMasterKey(set: Environment): readonly string[] {
  if (set['DATABASE_URL'] === undefined || set['GATE_MASTER_KEY'] !== undefined) return [];
  return [
    'GATE_MASTER_KEY: is required with DATABASE_URL; it encrypts secrets in the database. Generate one with "openssl rand -base64 32" and keep it.',
  ];
}

/** A provider sends people back to the console's own origin, so that must be known. */
function oidcProblems(set: Environment): readonly string[] {
  const { GATE_OIDC_ISSUER: issuer, GATE_OIDC_CLIENT_ID: client, GATE_OIDC_CLIENT_SECRET: secret } = set;
  const { GATE_HOST: host = '127.0.0.1', GATE_CONSOLE_URL: url } = set;
  if (issuer === undefined)
    return client === undefined && secret === undefined
      ? []
      : [
          'GATE_OIDC_ISSUER: is not set, but other settings of single sign-on are. Set it to the address of your provider.',
        ];
  return [
    ...(client === undefined
      ? [
          'GATE_OIDC_CLIENT_ID: is required with GATE_OIDC_ISSUER; your provider shows it where the console is registered.',
        ]
      : []),
    ...(url === undefined && !bindsLoopbackOnly(host)
      ? ['GATE_CONSOLE_URL: is required with GATE_OIDC_ISSUER; the provider redirects users to it.']
      : []),
  ];
}

/** A misspelt variable would otherwise be ignored silently. */
export function unknownVariables(set: Environment, named: readonly string[]): readonly string[] {
  return Object.keys(set)
    .filter((name) => name.startsWith('GATE_') && !(name in VARIABLES.shape) && !named.includes(name))
    .map((name) => `${name} is not a setting of this server and has no effect; check its spelling.`);
}

export function roleWarnings({ GATE_ROLE: role, DATABASE_URL: url }: Variables): readonly string[] {
  if (role !== 'api' || url !== null) return [];
  return [
    'GATE_ROLE=api with data in memory: no worker can access this data, so no webhooks are delivered and no payments settle.',
  ];
}
