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

/** The host for new connections: moves to the next one when a host is unreachable or read-only. */
export class HostChoice {
  private at = 0;

  constructor(private readonly urls: readonly string[]) {}

  get url(): string {
    return this.urls[this.at % this.urls.length] ?? '';
  }

  /** Does nothing if another connection has already moved on. */
  giveUp(url: string): void {
    if (url === this.url) this.at += 1;
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A client class that connects to the currently chosen host. */
export function clientOf(choice: HostChoice): new (config?: string | pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    private readonly chosen: string;

    constructor(config?: string | pg.ClientConfig) {
      const chosen = choice.url;
      super({ ...(typeof config === 'object' ? config : {}), connectionString: chosen });
      this.chosen = chosen;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = super.connect().catch((error: unknown) => {
        choice.giveUp(this.chosen);
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

/** Throws for a read-only server, such as a standby, and moves to the next host. */
export async function refuseReadOnly(
  client: Pick<pg.ClientBase, 'query'>,
  choice: HostChoice,
  url: string,
): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'on') return;
  choice.giveUp(url);
  throw new ReadOnlyHost();
}

class ReadOnlyHost extends Error {
  readonly outage = true;

  constructor() {
    super('The server is read-only: it is a standby, or is configured read-only.');
    this.name = 'ReadOnlyHost';
  }
}
