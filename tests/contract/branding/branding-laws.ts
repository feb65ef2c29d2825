import assert from 'node:assert/strict';
import {
  admitRival,
  type Answer,
  bootstrap,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  RIVAL_SECRET,
  type Sent,
} from '../kit.js';
import { TEST_KEYS } from '@gateramp/testing';

const TOPIC = 'HTTP: branding';

const UNSET = {
  object: 'branding',
  display_name: null,
  logo_url: null,
  accent_color: null,
  theme: null,
  support_url: null,
  updated_at: null,
} as const;

const LOOK = {
  display_name: 'Acme “☃”',
  logo_url: 'https://cdn.example/logo.svg?v=1#x',
  accent_color: '#1A2b3C',
  theme: 'dark',
  support_url: 'https://help.example/',
} as const;

function read(world: HttpWorld, sent: Sent = {}): Promise<Answer> {
  return world.send('GET', '/v1/branding', { key: TEST_KEYS.secret[sent.mode ?? 'test'], ...sent });
}

function update(world: HttpWorld, body: unknown, sent: Sent = {}): Promise<Answer> {
  return world.send('POST', '/v1/branding', { key: TEST_KEYS.secret[sent.mode ?? 'test'], body, ...sent });
}

async function shown(world: HttpWorld, sent: Sent = {}): Promise<unknown> {
  return expectStatus(await bootstrap(world, null, sent), 200).json['branding'];
}

const WRONG: readonly { readonly body: Members; readonly field: string }[] = [
  { body: { display_name: '' }, field: 'display_name' },
  { body: { display_name: '\u{1F600}'.repeat(61) }, field: 'display_name' },
  { body: { display_name: 7 }, field: 'display_name' },
  { body: { display_name: 'Acme\u001b[2J' }, field: 'display_name' },
  { body: { display_name: '\u3000 \u00a0' }, field: 'display_name' },
  { body: { display_name: '\u3164' }, field: 'display_name' },
  { body: { display_name: 'Acme\u202egnp' }, field: 'display_name' },
  { body: { logo_url: 'http://cdn.example/logo.svg' }, field: 'logo_url' },
  { body: { logo_url: 'http://localhost/logo.svg' }, field: 'logo_url' },
  { body: { logo_url: 'javascript:alert(1)' }, field: 'logo_url' },
  { body: { logo_url: 'data:image/png;base64,AAAA' }, field: 'logo_url' },
  { body: { logo_url: 'https:cdn.example' }, field: 'logo_url' },
  { body: { logo_url: '//cdn.example/logo.svg' }, field: 'logo_url' },
  { body: { logo_url: '' }, field: 'logo_url' },
  { body: { support_url: 'https://user:word@help.example/' }, field: 'support_url' },
  { body: { support_url: `https://help.example/${'x'.repeat(2028)}` }, field: 'support_url' },
  { body: { support_url: 'mailto:help@shop.example' }, field: 'support_url' },
  { body: { accent_color: '1a2b3c' }, field: 'accent_color' },
  { body: { accent_color: '#1a2b3' }, field: 'accent_color' },
  { body: { accent_color: '#1a2b3c;x' }, field: 'accent_color' },
  { body: { accent_color: 'red' }, field: 'accent_color' },
  { body: { theme: 'auto' }, field: 'theme' },
];

export const brandingLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'GET /v1/branding answers 200 with every field null until it is set', async (world) => {
    assert.deepEqual(expectStatus(await read(world), 200).json, UNSET);
    assert.equal(await shown(world), null, 'bootstrap shows a branding that was never set');
  }),
  httpLaw(
    TOPIC,
    'POST /v1/branding sets what is given, keeps what is absent, and clears what is null',
    async (world) => {
      const at = '2030-01-01T00:00:00.000Z';
      assert.deepEqual(expectStatus(await update(world, LOOK), 200).json, { ...UNSET, ...LOOK, updated_at: at });
      await world.t.clock.advance('1s');
      const next = { ...UNSET, ...LOOK, theme: 'light', logo_url: null, updated_at: '2030-01-01T00:00:01.000Z' };
      assert.deepEqual(expectStatus(await update(world, { theme: 'light', logo_url: null }), 200).json, next);
      assert.deepEqual(expectStatus(await read(world), 200).json, next);
      assert.deepEqual(await shown(world), next);
    },
  ),
  httpLaw(TOPIC, 'POST /v1/branding that changes nothing answers 200 and leaves updated_at', async (world) => {
    for (const body of [undefined, {}, { theme: null }])
      assert.deepEqual(expectStatus(await update(world, body), 200).json, UNSET);
    const { json } = expectStatus(await update(world, LOOK), 200);
    await world.t.clock.advance('1s');
    for (const body of [{}, { theme: LOOK.theme }])
      assert.deepEqual(expectStatus(await update(world, body), 200).json, json);
  }),
  httpLaw(TOPIC, 'a name has 1 to 60 code points, and a URL at most 2,048 characters', async (world) => {
    const longest = `https://help.example/${'x'.repeat(2027)}`;
    const body = { display_name: '\u{1F600}'.repeat(60), support_url: longest };
    assert.equal(expectStatus(await update(world, body), 200).json['display_name'], body.display_name);
  }),
  ...WRONG.map(({ body, field }) =>
    httpLaw(TOPIC, `POST /v1/branding answers 400 validation_failed to ${shortened(body)}`, async (world) => {
      const answer = await update(world, { theme: 'dark', ...body });
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(failedFields(answer), [field]);
      assert.deepEqual(expectStatus(await read(world), 200).json, UNSET, 'a refused request changed something');
    }),
  ),
  httpLaw(TOPIC, 'POST /v1/branding answers 400 unknown_field to a field there is not', async (world) => {
    for (const body of [{ updated_at: null }, { displayName: 'Acme' }, { object: 'branding' }])
      expectRefusal(await update(world, body), 400, 'unknown_field');
  }),
  httpLaw(TOPIC, 'a branding is of one partner and one mode: no one else sees or changes it', async (world) => {
    await admitRival(world);
    expectStatus(await update(world, LOOK), 200);
    for (const other of [{ key: RIVAL_SECRET }, { mode: 'live' }] as const) {
      assert.deepEqual(expectStatus(await read(world, other), 200).json, UNSET);
      expectStatus(await update(world, { theme: 'light' }, other), 200);
    }
    assert.equal(expectStatus(await read(world), 200).json['theme'], 'dark');
    assert.deepEqual(await shown(world, { mode: 'live' }), (await read(world, { mode: 'live' })).json);
  }),
  httpLaw(TOPIC, 'two changes of different fields that come at once both count', async (world) => {
    const changes = [{ theme: 'dark' }, { accent_color: '#000000' }];
    for (const answer of await Promise.all(changes.map((body) => update(world, body)))) expectStatus(answer, 200);
    const { theme, accent_color: accent } = (await read(world)).json;
    assert.deepEqual([theme, accent], ['dark', '#000000']);
  }),
];

function shortened(body: Members): string {
  const text = JSON.stringify(body);
  return text.length <= 80 ? text : `${text.slice(0, 40)}… of ${text.length} characters`;
}
