import pg from 'pg';

/** The hosts of a `DATABASE_URL`, which may name several: `postgres://u@a:5432,b:5433/gate?target_session_attrs=read-write`. */
export interface DatabaseHosts {
  /** One URL for each host, in the order given. */
  readonly urls: readonly string[];
  /** Whether only a server that takes writes will do, as with several hosts unless the URL says `any`. */
  readonly needsWrites: boolean;
  /** For people: without user and password. */
  readonly places: string;
  readonly database: string;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
const ATTRIBUTE = 'target_session_attrs';
const ATTRIBUTES: readonly string[] = ['read-write', 'primary', 'any'];

/** Null where the text is no such URL. */
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

/** Which host new connections go to: the next one as soon as one cannot be reached or takes no writes. */
export class HostChoice {
  private at = 0;

  constructor(private readonly urls: readonly string[]) {}

  get url(): string {
    return this.urls[this.at % this.urls.length] ?? '';
  }

  /** Unless another connection has found out already. */
  giveUp(url: string): void {
    if (url === this.url) this.at += 1;
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A client that goes where the choice says when it is made. */
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
      // One function handles success and failure, which the types of pg split in two.
      const tell = callback as (error: unknown, client?: pg.Client) => void;
      connected.then((client) => tell(null, client), tell);
      return undefined;
    }
  };
}

/** Throws for a server that only reads, as a standby does, and turns to the next host. */
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
