import type { EventEmitter } from 'node:events';
import pg from 'pg';

/** The hosts of a `DATABASE_URL`, which may contain several: `postgres://u@a:5432,b:5433/gate?target_session_attrs=read-write`. */
export interface DatabaseHosts {
  /** One URL for each host, in the given order. */
  readonly urls: readonly string[];
  /** Whether the server must be writable: the default for several hosts unless the URL says `any`. */
  readonly needsWrites: boolean;
  /** For messages: without user and password. */
  readonly places: string;
  readonly database: string;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
const ATTRIBUTE = 'target_session_attrs';
const ATTRIBUTES: readonly string[] = ['read-write', 'primary', 'any'];

/** Null if the text is not such a URL. */
export function databaseHosts(text: string): DatabaseHosts | null {
  const [, scheme, user = '', hosts = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (scheme === undefined) return null;
  const parameters = new URLSearchParams(query);
  const attribute = parameters.get(ATTRIBUTE);
  const socket = parameters.get('host');
  if (attribute !== null && !ATTRIBUTES.includes(attribute)) return null;
  parameters.delete(ATTRIBUTE);
  const rest = `${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
  const names = hosts.split(',');
  const urls = names.map((name) => `${scheme}${user}${name}${rest}`);
  const isSocket = hosts === '' && socket !== null;
  if (!isSocket && (names.includes('') || urls.some((url) => !URL.canParse(url)))) return null;
  return {
    urls,
    needsWrites: attribute === null ? names.length > 1 : attribute !== 'any',
    places: isSocket ? socket : names.map(placeOf).join(', '),
    database: path.slice(1),
  };
}

function placeOf(name: string): string {
  const host = decodeURIComponent(name);
  return host.startsWith('/') || /:\d+$/.test(host) ? host : `${host}:5432`;
}

/** The host for new connections: moves to the next one when a host is unreachable or read-only. Shared by the pools of a process. */
export class HostChoice {
  private at = 0;
  private age = 0;
  private readonly chosen = new WeakMap<object, { readonly url: string; readonly age: number }>();

  constructor(private readonly urls: readonly string[]) {}

  get count(): number {
    return this.urls.length;
  }

  get url(): string {
    return this.urls[this.at % this.urls.length] ?? '';
  }

  /** The number of moves so far. */
  get moves(): number {
    return this.at;
  }

  /** Records that `client` connects to the chosen host, and returns its URL. */
  choose(client: object): string {
    const { url, age } = this;
    this.chosen.set(client, { url, age });
    return url;
  }

  urlOf(client: object): string {
    return this.chosen.get(client)?.url ?? this.url;
  }

  /** The host of `client` cannot be used. Does nothing if another connection has already moved on. */
  giveUp(client: object): void {
    if (this.urlOf(client) === this.url) this.at += 1;
  }

  /** The host of `client` no longer accepts writes: its other connections must not be used again either. */
  demote(client: object): void {
    if (this.isStale(client)) return;
    this.age += 1;
    this.giveUp(client);
  }

  isStale(client: object): boolean {
    return (this.chosen.get(client)?.age ?? this.age) < this.age;
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A client class that connects to the currently chosen host. */
function clientOf(choice: HostChoice): new (config?: string | pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(typeof config === 'object' ? config : {}), connectionString: choice.url });
      choice.choose(this);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = super.connect().catch((error: unknown) => {
        choice.giveUp(this);
        throw error;
      });
      if (callback === undefined) return connected;
      // One callback handles success and failure; the types of pg have one for each.
      const tell = callback as (error: unknown, client?: pg.Client) => void;
      connected.then((client) => tell(null, client), tell);
      return undefined;
    }
  };
}

/** The internal member of a pg client that emits the errors of the server. */
interface Wire {
  readonly connection: EventEmitter<{ errorMessage: [{ readonly code?: string }] }>;
}

type Acquired = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** A pool whose `connect` and `query` try every host before they fail, and which drops the connections to a host that became read-only. */
export class HostPool extends pg.Pool {
  constructor(
    options: pg.PoolConfig,
    private readonly choice: HostChoice,
  ) {
    super({ ...options, Client: clientOf(choice) });
    this.on('connect', (client) => {
      // pg has this member on every client but does not declare it.
      const { connection } = client as unknown as Wire;
      connection.on('errorMessage', ({ code }) => {
        if (code === READ_ONLY) choice.demote(client);
      });
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Acquired): void;
  override connect(callback?: Acquired): Promise<pg.PoolClient> | undefined {
    const acquired = this.acquire();
    if (callback === undefined) return acquired;
    acquired.then(
      (client) => callback(undefined, client, (release) => client.release(Boolean(release))),
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), undefined, () => undefined),
    );
    return undefined;
  }

  private async acquire(): Promise<pg.PoolClient> {
    for (let failures = 0; ;) {
      const { moves } = this.choice;
      try {
        const client = await super.connect();
        if (!this.choice.isStale(client)) return client;
        client.release(true);
      } catch (error) {
        failures += 1;
        // Without a move the pool was exhausted, or the connection was refused for another reason than its host.
        if (failures >= this.choice.count || this.choice.moves === moves) throw error;
      }
    }
  }
}

const READ_ONLY = '25006';

/** Throws for a read-only server, such as a standby, and moves to the next host. */
export async function refuseReadOnly(client: pg.ClientBase, choice: HostChoice): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'on') return;
  choice.giveUp(client);
  throw new ReadOnlyHost();
}

export class ReadOnlyHost extends Error {
  readonly outage = true;
  readonly code = READ_ONLY;

  constructor() {
    super('The server is read-only: it is a standby, or is configured read-only.');
    this.name = 'ReadOnlyHost';
  }
}
