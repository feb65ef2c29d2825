import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consoleListener } from '@gateramp/console';
import { createTestGate } from '@gateramp/testing';
import type { OidcConfig } from '../../src/sign-in/oidc.js';
import { operatorsDoor } from '../../src/sign-in/sign-in.js';

export interface Listening {
  readonly origin: string;
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

/** A port of this machine, whose listener is set once its origin is known. */
export async function listening(host = '127.0.0.1', port = 0): Promise<Listening> {
  let current: RequestListener = (_, response) => void response.writeHead(503).end();
  const server: Server = createServer((request, response) => current(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    serve: (listener) => (current = listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface LoggedLine {
  readonly level: string;
  readonly text: string;
}

/** A console with its operators' door, and the time that the test moves. */
export async function consoleServer({
  host,
  oidcOf = () => null,
}: { readonly host?: string; readonly oidcOf?: (origin: string) => OidcConfig | null } = {}) {
  let now = Date.now();
  const clock = { now: () => now, wall: () => now, advanceTo: async () => undefined };
  const { gate } = await createTestGate({ ports: { testClock: clock } });
  const at = await listening(host);
  const logged: LoggedLine[] = [];
  const log = (level: string, fields: object, text: string) =>
    logged.push({ level, text: `${text} ${JSON.stringify(fields)}` });
  const onError = (error: unknown) => log('error', { error: String(error) }, 'failed');
  const door = operatorsDoor({
    gate,
    origin: at.origin,
    oidc: oidcOf(at.origin),
    key: 'a key of this test',
    isLocal: false,
    hasCommand: false,
    log,
    onError,
  });
  at.serve(consoleListener({ gate, origin: at.origin, authorize: () => null, ...door, onError }));
  return { gate, origin: at.origin, logged, pass: (ms: number) => (now += ms), close: at.close };
}

/** A browser as far as sign-in needs one: cookies by origin, and redirects that are followed one by one. */
export class Jar {
  private readonly cookies = new Map<string, Map<string, string>>();
  /** Every address that was asked for, and where it led. */
  readonly visited: { readonly url: string; readonly location: string | null }[] = [];

  async get(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(text)) own.delete(name);
      else own.set(name, value);
    }
    this.visited.push({ url, location: answer.headers.get('location') });
    return answer;
  }

  /** Follows redirects to the end, or up to the first address for which `until` is true. */
  async follow(
    url: string,
    until: (next: string) => boolean = () => false,
  ): Promise<{ answer: Response; next: string | null }> {
    let answer = await this.get(url);
    for (let at = url; ;) {
      const location = answer.headers.get('location');
      if (location === null) return { answer, next: null };
      at = new URL(location, at).href;
      if (until(at)) return { answer, next: at };
      answer = await this.get(at);
    }
  }

  cookie(origin: string, name: string): string | null {
    return this.cookies.get(origin)?.get(name) ?? null;
  }

  setCookie(origin: string, name: string, value: string): void {
    this.cookies.get(origin)?.set(name, value);
  }
}
