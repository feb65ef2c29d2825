import { describe, expect, it } from 'vitest';
import { widgetHandler, type WidgetOptions } from '../src/index.js';

const SHOP = 'https://shop.example';
const API = 'https://api.example';

const handle = widgetHandler({
  mode: 'test',
  apiOrigin: API,
  originsOf: async (key) => (key === 'pk_test_known' ? [SHOP, 'http://127.0.0.1:4240'] : null),
});

const ask = (path: string, init?: RequestInit): Promise<Response> =>
  handle(new Request(`http://anything.example${path}`, init));

const policyOf = (response: Response): ReadonlyMap<string, string> =>
  new Map(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((directive): [string, string] => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('the page in a frame', () => {
  it('may be framed only by the allowed origins of the partner with its publishable key', async () => {
    const policy = policyOf(await ask('/embed?publishableKey=pk_test_known&flow=on_ramp'));
    expect(policy.get('frame-ancestors')).toBe(`${SHOP} http://127.0.0.1:4240`);
  });

  it.each(['/embed', '/embed?publishableKey=', '/embed?publishableKey=pk_test_unknown'])(
    'may not be framed without a known key: %s',
    async (path) => {
      const response = await ask(path);
      expect(response.status).toBe(200);
      expect(policyOf(response).get('frame-ancestors')).toBe("'none'");
    },
  );
});

it('is framed by no origin that would change the policy, whatever the store has', async () => {
  const bad = ['https://a;script-src', "https://a'b.example", 'https://a,b.example', 'null', 'data:,x'];
  const handler = widgetHandler({ mode: 'test', apiOrigin: API, originsOf: async () => [...bad, SHOP] });
  const response = await handler(new Request('https://pay.example/embed?publishableKey=pk_test_known'));
  expect([response?.status, response && policyOf(response).get('frame-ancestors')]).toEqual([200, SHOP]);
});

describe('both pages', () => {
  it.each(['/', '/embed?publishableKey=pk_test_known'])(
    'allow no inline code and connections to the API only: %s',
    async (path) => {
      const response = await ask(path);
      const policy = policyOf(response);
      expect(policy.get('default-src')).toBe("'none'");
      expect(policy.get('script-src')).toBe("'self'");
      expect(policy.get('style-src')).toBe("'self'");
      expect(policy.get('connect-src')).toBe(API);
      expect(policy.get('require-trusted-types-for')).toBe("'script'");
      expect(policy.get('trusted-types')).toBe("'none'");
      const page = await response.text();
      expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
      expect(page).toContain(`content="${API}"`);
      expect(page).not.toContain('__GATE_');
    },
  );

  it('send no referrer, are not cached, and forbid MIME sniffing', async () => {
    const { headers } = await ask('/?client_secret=gsec_x&publishableKey=pk_test_known');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('forbid framing the full page with any key', async () => {
    expect(policyOf(await ask('/?publishableKey=pk_test_known')).get('frame-ancestors')).toBe("'none'");
  });
});

describe('the preview of an appearance', () => {
  it('can be framed by the named origins only, and makes no calls', async () => {
    const previewed = widgetHandler({
      mode: 'test',
      apiOrigin: API,
      originsOf: async () => [SHOP],
      previewedBy: ['https://console.example/any'],
    });
    const response = await previewed(new Request('http://anything.example/preview'));
    const policy = policyOf(response);
    expect(response.status).toBe(200);
    expect(policy.get('frame-ancestors')).toBe('https://console.example');
    expect(policy.get('connect-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    const page = await response.text();
    expect(page).toContain('inert');
    const [, script = ''] = /src="\.(\/assets\/[^"]+)"/.exec(page) ?? [];
    expect((await previewed(new Request(`http://anything.example${script}`))).status).toBe(200);
  });

  it('answers 404 unless the host names such origins', async () => {
    expect((await ask('/preview')).status).toBe(404);
  });
});

describe('the page before its script has run', () => {
  const look = { display_name: `Ömer's <b>$&</b>`, logo_url: null, accent_color: '#6d28d9', theme: 'dark' } as const;
  const opened = async (path: string, lookOf: NonNullable<WidgetOptions['lookOf']>): Promise<string> => {
    const handler = widgetHandler({ mode: 'test', apiOrigin: API, originsOf: async () => [SHOP], lookOf });
    return (await handler(new Request(`http://anything.example${path}`))).text();
  };

  it.each(['/', '/embed'])('shows the partner’s name and theme, with the name escaped: %s', async (path) => {
    const page = await opened(`${path}?publishableKey=pk_test_known`, async () => look);
    expect(page).toContain('<html lang="en" data-theme="dark">');
    expect(page).toContain('&#60;b&#62;$&#38;&#60;/b&#62;</bdi>');
    expect(page).not.toContain('<b>');
    expect(page).toMatch(/<svg class="initial".*#6d28d9.*>Ö<\/text>/);
  });

  it('prefers the theme in the URL over the partner’s', async () => {
    expect(await opened('/embed?publishableKey=pk_test_known&theme=light', async () => look)).toContain(
      'data-theme="light"',
    );
  });

  it('opens without branding if there is none or it cannot be read', async () => {
    const lost = async () => Promise.reject(new Error('away'));
    for (const page of [
      await opened('/?publishableKey=pk_test_known', lost),
      await opened('/?publishableKey=pk_test_unknown', async () => null),
      await opened('/', async () => look),
    ]) {
      expect(page).toContain('<i class="initial bone"></i>');
      expect(page).not.toContain('data-theme');
    }
  });

  it('accepts only http(s) logos and #rrggbb colours', async () => {
    const bad = { ...look, logo_url: 'javascript:alert(1)', accent_color: '"/><script>' };
    const page = await opened('/?publishableKey=pk_test_known', async () => bad);
    expect(page).not.toContain('<img');
    expect(page).toContain('fill="#2450d8"');
  });
});

describe('assets', () => {
  const assetsOf = async (): Promise<readonly string[]> =>
    [...(await (await ask('/')).text()).matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].flatMap(
      ([, path]) => path ?? [],
    );

  it('are cached forever, with a hash in their names and a content type', async () => {
    const paths = await assetsOf();
    expect(paths.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) {
      const response = await ask(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-type')).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/);
    }
  });

  it('are compressed for clients that accept it, and vary by encoding in caches', async () => {
    const [path = ''] = await assetsOf();
    const plain = await ask(path);
    const packed = await ask(path, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    const unwanted = await ask(path, { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(unwanted.headers.get('content-encoding')).toBeNull();
  });

  it.each(['/assets/nothing.js', '/assets/', '/index.html', '/embed/', '/assets/../../package.json'])(
    'answer 404 for unknown paths: %s',
    async (path) => expect((await ask(path)).status).toBe(404),
  );
});

describe('methods', () => {
  it.each(['/', '/embed?publishableKey=pk_test_known', '/nothing'])(
    'HEAD is answered like GET, without a body: %s',
    async (path) => {
      const [head, got] = [await ask(path, { method: 'HEAD' }), await ask(path)];
      expect(head.status).toBe(got.status);
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(got.headers));
      expect(await head.text()).toBe('');
    },
  );

  it('all others are answered with 405', async () => {
    const response = await ask('/', { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('options', () => {
  const withApi = (apiOrigin: string) => widgetHandler({ mode: 'test', apiOrigin, originsOf: async () => null });

  it.each([
    'data:text/html,x',
    'https://api.example/?a=b',
    'https://api.example/#a',
    'https://user@api.example',
    'api',
  ])('an invalid address of the API throws at once: %s', (address) => expect(() => withApi(address)).toThrow());

  it.each([
    ['https://api.example/sandbox', 'https://api.example/sandbox'],
    ['https://api.example/gate/sandbox/', 'https://api.example/gate/sandbox'],
    ['https://api.example/', 'https://api.example'],
  ])('the page calls an API below a path, and may connect to its origin only: %s', async (address, called) => {
    const response = await withApi(address)(new Request('http://anything.example/'));
    expect(policyOf(response).get('connect-src')).toBe('https://api.example');
    expect(await response.text()).toContain(`<meta name="gate-api" content="${called}"`);
  });
});

describe('wallet names', () => {
  const asked: string[] = [];
  const naming = widgetHandler({
    mode: 'test',
    apiOrigin: API,
    originsOf: async () => [SHOP],
    resolveName: async (name, network) => {
      asked.push(`${name} on ${network}`);
      return name === 'ada.eth' ? '0x52908400098527886E0F7030069857D2E4169EE7' : null;
    },
  });
  const resolve = (query: string) => naming(new Request(`http://anything.example/resolve?${query}`));

  it('are resolved if the host has a resolver', async () => {
    const known = await resolve('name=ada.eth&network=base');
    expect(await known.json()).toEqual({ address: '0x52908400098527886E0F7030069857D2E4169EE7' });
    expect(known.headers.get('cache-control')).toBe('no-store');
    expect(await (await resolve('name=nobody.eth&network=base')).json()).toEqual({ address: null });
    expect(asked).toEqual(['ada.eth on base', 'nobody.eth on base']);
    expect(policyOf(await naming(new Request('http://anything.example/'))).get('connect-src')).toBe(`${API} 'self'`);
  });

  it.each(['', 'name=ada.eth', 'network=base', 'name=a%20b.eth&network=base', 'name=ada.eth&network=../x'])(
    'are rejected if malformed: %s',
    async (query) => expect((await resolve(query)).status).toBe(400),
  );

  it('are not resolved by default', async () => {
    expect((await ask('/resolve?name=ada.eth&network=base')).status).toBe(404);
    expect(await (await ask('/')).text()).toContain('name="gate-names" content="off"');
  });
});
