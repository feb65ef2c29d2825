/** A URL such as `redis+sentinel://user:password@a:26379,b:26379/name/0`, which the URL parser refuses: it has several hosts. */
export interface SentinelUrl {
  /** Whether the scheme is `rediss+sentinel:`, for TLS to the Sentinels and to Redis. */
  readonly isTls: boolean;
  readonly username: string | null;
  readonly password: string | null;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** The name by which the Sentinels know the primary. */
  readonly name: string;
  readonly database: number;
  readonly parameters: URLSearchParams;
}

const PARTS =
  /^redis(s?)\+sentinel:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d{1,4}))?(?:\?([^#]*))?$/;
const SENTINEL_PORT = 26_379;

/** Null if the text is not such a URL. */
export function sentinelUrl(text: string): SentinelUrl | null {
  const [, secure, user = '', password = '', places = '', name = '', database = '0', query] = PARTS.exec(text) ?? [];
  if (secure === undefined) return null;
  const urls = places.split(',').map((place) => `redis://${place}`);
  if (!urls.every((url) => URL.canParse(url)) || !isEncoded(user) || !isEncoded(password)) return null;
  return {
    isTls: secure !== '',
    // An empty user name is the default user, as in `redis://:password@host`.
    username: user === '' ? null : decodeURIComponent(user),
    password: password === '' ? null : decodeURIComponent(password),
    hosts: urls.map((url) => placeOf(new URL(url))),
    name,
    database: Number(database),
    parameters: new URLSearchParams(query),
  };
}

/** Without the brackets of an IPv6 address. */
function placeOf({ hostname, port }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? SENTINEL_PORT : Number(port) };
}

function isEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}
