import { InvalidArgumentError } from 'commander';
import type { LegsConfig } from '../legs/legs-file.js';
import { type LiveProvider, liveProviderOf } from '../live-provider.js';
import { StartError } from '../start-error.js';
import { problemsOf, readLegsFile, type DatabaseConfig } from './config.js';
import { setVariables, type Environment } from './environment.js';
import { VARIABLES } from './settings.js';

/** The settings of the command line: a subset of the server's variables. */
interface CliConfig {
  readonly place: CliPlace;
  /** Null for the key in the data folder. */
  readonly masterKey: Uint8Array | null;
  readonly oldMasterKeys: readonly Uint8Array[];
}

/** Where the server keeps its data. */
type CliPlace =
  | { readonly kind: 'postgres'; readonly database: DatabaseConfig }
  | { readonly kind: 'folder'; readonly dir: string };

/** Sufficient for a single command. */
const CONNECTIONS_MAX = 2;

const DATABASE = VARIABLES.pick({ DATABASE_URL: true, GATE_DATABASE_PROXY: true, GATE_DATABASE_DISTRIBUTED: true });
const EVERYTHING = DATABASE.extend(
  VARIABLES.pick({ GATE_DATA_DIR: true, GATE_MASTER_KEY: true, GATE_MASTER_KEYS_OLD: true }).shape,
);
const KEYS = VARIABLES.pick({ GATE_MASTER_KEY: true, GATE_MASTER_KEYS_OLD: true });
const FOLDER = VARIABLES.pick({ GATE_DATA_DIR: true });
const LIVE = VARIABLES.pick({ GATE_LIVE_SANDBOX: true });

/** For commands that seal or open secrets. Throws a `StartError` that lists all problems. */
export function cliConfigOfProcess(): CliConfig {
  return readCliConfig(process.env);
}

export function readCliConfig(environment: Environment): CliConfig {
  const read = EVERYTHING.safeParse(setOf(environment));
  if (!read.success) throw new StartError(problemsOf(read.error));
  const { GATE_DATA_DIR: dir, GATE_MASTER_KEY: masterKey } = read.data;
  const oldMasterKeys = read.data.GATE_MASTER_KEYS_OLD ?? [];
  if (dir !== null) return { place: { kind: 'folder', dir }, masterKey, oldMasterKeys };
  const problems = [...missing('DATABASE_URL', read.data.DATABASE_URL), ...missing('GATE_MASTER_KEY', masterKey)];
  if (masterKey === null || problems.length > 0) throw new StartError(problems);
  return { place: { kind: 'postgres', database: databaseOf(read.data) }, masterKey, oldMasterKeys };
}

/** For commands about the data folder. */
export function cliFolderOfProcess(): string {
  const { GATE_DATA_DIR: dir } = FOLDER.parse(setOf(process.env));
  if (dir === null) throw new StartError(missing('GATE_DATA_DIR', dir));
  return dir;
}

/** The master keys, for the audit entry of a command that needs none otherwise; `masterKey` is null if it is not set. */
export function cliKeysOfProcess(): Pick<CliConfig, 'masterKey' | 'oldMasterKeys'> {
  const read = KEYS.safeParse(setOf(process.env));
  if (!read.success) throw new StartError(problemsOf(read.error));
  return { masterKey: read.data.GATE_MASTER_KEY, oldMasterKeys: read.data.GATE_MASTER_KEYS_OLD ?? [] };
}

/** The operators' port of a server on this machine with this environment. */
export function cliOpsUrlOfProcess(): string {
  return `http://127.0.0.1:${process.env['GATE_OPS_PORT'] || '4247'}`;
}

/** The origin of the console of a server with this environment. */
export function cliConsoleUrlOfProcess(): string {
  const { GATE_CONSOLE_URL: url, GATE_CONSOLE_PORT: port } = VARIABLES.pick({
    GATE_CONSOLE_URL: true,
    GATE_CONSOLE_PORT: true,
  }).parse(setOf(process.env));
  return url ?? `http://127.0.0.1:${port}`;
}

/** For commands about the wallets of the legs file. */
export function cliLegsOfProcess(): LegsConfig {
  const { read, problems } = readLegsFile(setOf(process.env));
  if (problems.length > 0) throw new StartError(problems);
  if (read === null || read.legs === null) throw new StartError(missing('GATE_LEGS_FILE', null));
  return read.legs;
}

/**
 * The provider of live mode at a server with this environment, which is durable: there the sandbox provider is off by default. Null, with
 * the problems, if settings of the server are missing.
 */
export function cliLiveProviderOfProcess(): {
  readonly provider: LiveProvider | null;
  readonly problems: readonly string[];
} {
  const set = setOf(process.env);
  const live = LIVE.safeParse(set);
  const { read, problems } = readLegsFile(set);
  if (!live.success || problems.length > 0)
    return { provider: null, problems: [...(live.success ? [] : problemsOf(live.error)), ...problems] };
  const liveSandbox = live.data.GATE_LIVE_SANDBOX ?? false;
  return { provider: liveProviderOf({ legs: read?.legs ?? null, liveSandbox }), problems };
}

/** For `gate migrate`, which needs no master key. */
export function cliDatabaseOfProcess(): DatabaseConfig {
  const read = DATABASE.safeParse(setOf(process.env));
  if (!read.success) throw new StartError(problemsOf(read.error));
  return databaseOf(read.data);
}

/** Parses the target of `gate move --to`; the source is the data folder of the environment. */
export function readDatabaseUrl(text: string): string {
  const read = VARIABLES.shape.DATABASE_URL.safeParse(text);
  if (read.success && read.data !== null) return read.data;
  throw new InvalidArgumentError('Pass a URL such as "postgres://user:password@host:port/name".');
}

function databaseOf({
  DATABASE_URL: url,
  GATE_DATABASE_PROXY: isBehindProxy,
  GATE_DATABASE_DISTRIBUTED: isDistributed,
}: {
  DATABASE_URL: string | null;
  GATE_DATABASE_PROXY: boolean;
  GATE_DATABASE_DISTRIBUTED: boolean;
}): DatabaseConfig {
  if (url === null) throw new StartError(missing('DATABASE_URL', url));
  return { url, connectionsMax: CONNECTIONS_MAX, isBehindProxy, isDistributed };
}

function missing(name: string, value: unknown): readonly string[] {
  return value === null ? [`${name}: is not set. Set it to the same value as for the server.`] : [];
}

function setOf(environment: Environment): Environment {
  const { set, problems } = setVariables(environment);
  if (problems.length > 0) throw new StartError(problems);
  return set;
}
