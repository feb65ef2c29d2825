const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');

/** One process with two copies of every package, as when a CommonJS file requires what an ES module has imported. */
const NAMES = [
  'core',
  'core/runtime',
  'adapters-http-express',
  'adapters-http-fastify',
  'adapters-store-memory',
  'adapters-store-sqlite',
  'adapters-provider-sandbox',
  'testing',
  'conformance',
  'widget',
  // These are for pages, and are loaded by servers that render them: nothing of a page may be touched by loading them.
  'sdk-browser',
  'sdk-react',
];

const required = Object.fromEntries(NAMES.map((name) => [name, require(`@gateramp/${name}`)]));
const imported = Promise.all(NAMES.map(async (name) => [name, await import(`@gateramp/${name}`)])).then(
  Object.fromEntries,
);

test('the two copies are two, and export the same', async () => {
  const other = await imported;
  assert.notEqual(required.core.createGate, other.core.createGate);
  for (const name of NAMES) assert.deepEqual(Object.keys(other[name]).sort(), Object.keys(required[name]).sort(), name);
});

for (const direction of ['required', 'imported']) {
  const copies = async () => (direction === 'required' ? [required, await imported] : [await imported, required]);

  test(`a gate that was ${direction} runs a purchase on adapters of the other copy`, async () => {
    const [own, other] = await copies();
    const { memoryRateLimits, memoryStore } = other['adapters-store-memory'];
    const { sandboxProvider } = other['adapters-provider-sandbox'];
    const t = await own.testing.createTestGate({
      ports: { store: memoryStore(), limits: memoryRateLimits(), providers: [sandboxProvider()] },
    });
    const session = await t.createSession({ amount: '100.00' });
    await t.settle(session.id);
    await t.clock.advance('5m');
    assert.equal((await t.retrieveSession(session.id)).status, 'completed');
    assert.deepEqual(
      t
        .deliveries()
        .map(({ type }) => type)
        .at(-1),
      'gate_session.completed',
    );
    const refused = await t.gate.sessions.retrieve({ partnerId: t.partner.id, mode: 'test' }, 'nothing');
    assert.equal(refused.isErr() && refused.error.code, 'session_not_found');
  });

  test(`what a gate has kept in a file that was ${direction}, a store of the other copy finds there`, async () => {
    const [own, other] = await copies();
    const folder = mkdtempSync(join(tmpdir(), 'gateramp-copies-'));
    const path = join(folder, 'gate.db');
    const stores = [own, other].map((copy) => copy['adapters-store-sqlite'].sqliteStore(path));
    try {
      const t = await own.testing.createTestGate({ ports: { store: stores[0] } });
      const session = await t.createSession({ amount: '100.00' });
      const found = await stores[1].find('session', { partnerId: t.partner.id, mode: 'test' }, session.id);
      assert.equal(found.id, session.id);
      await Promise.all(stores.map((store, nth) => store.swapSetting(`of ${nth}`, null, 'kept')));
      for (const store of stores)
        assert.deepEqual(await Promise.all([store.readSetting('of 0'), store.readSetting('of 1')]), ['kept', 'kept']);
      stores[1].close();
      await assert.rejects(stores[1].readSetting('of 0'), { outage: true });
    } finally {
      for (const store of stores) store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test(`a gate that was ${direction} is served by frameworks' adapters of the other copy, and its outages stay outages`, async () => {
    const [own, other] = await copies();
    const store = { ...other['adapters-store-memory'].memoryStore() };
    const t = await own.testing.createTestGate({ ports: { store } });
    const away = async () => {
      throw Object.assign(new Error('The store is away.'), { outage: true });
    };
    const app = require('express')();
    const { expressGate } = other['adapters-http-express'];
    app.use(require('express').json({ verify: own['adapters-http-express'].keepRawBody }));
    app.use('/express', expressGate(t.gate, { mode: 'test' }));
    const server = await new Promise((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    const fastify = require('fastify')();
    await fastify.register(other['adapters-http-fastify'].fastifyGate, {
      gate: t.gate,
      mode: 'test',
      prefix: '/fastify',
    });
    const origins = {
      express: `http://127.0.0.1:${server.address().port}`,
      fastify: await fastify.listen({ port: 0, host: '127.0.0.1' }),
    };
    try {
      const headers = { authorization: `Bearer ${t.keys.secret.test}` };
      const session = await t.createSession();
      const statuses = () =>
        Promise.all(
          Object.entries(origins).map(
            async ([name, origin]) =>
              (await fetch(`${origin}/${name}/v1/gate_sessions/${session.id}`, { headers })).status,
          ),
        );
      assert.deepEqual(await statuses(), [200, 200]);
      const callback = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      assert.equal((await fetch(`${origins.express}/express/v1/providers/sandbox/callbacks`, callback)).status, 401);
      store.find = away;
      assert.deepEqual(await statuses(), [503, 503]);
    } finally {
      server.closeAllConnections();
      server.close();
      await fastify.close();
    }
  });
}
