import assert from 'node:assert/strict';
import { ERROR_CODES } from '@gateramp/core/domain';
import { CHECKOUT } from '@gateramp/core/http';
import { openApiDocument, PAGE_PATHS } from '@gateramp/extensions/api-document';
import { httpLaw, type HttpSubject, type Law, SERVED, textOf } from './kit.js';

const TOPIC = 'HTTP: described';

export const pageLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'each host serves a document of its own operations at /openapi.json, with itself as the server',
    async (world) => {
      for (const mode of ['test', 'live'] as const) {
        const { status, headers, body } = await world.page('GET', '/openapi.json', mode);
        assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8']);
        const expected = openApiDocument({ routes: SERVED, served: { host: CHECKOUT[mode], url: '/' } });
        assert.deepEqual(JSON.parse(body), JSON.parse(JSON.stringify(expected)));
        assert.equal('/v1/test_helpers/clock' in expected.paths, mode === 'test');
      }
    },
  ),
  httpLaw(
    TOPIC,
    'doc_url of every refusal leads to the entry of its code on the page of the host that refused',
    async (world) => {
      for (const mode of ['test', 'live'] as const) {
        const refused = await world.send('GET', '/v1/gate_sessions', { mode });
        const [path = '', code = ''] = textOf(refused.json, 'doc_url').split('#');
        const { body } = await world.page('GET', path, mode);
        for (const one of [code, ...ERROR_CODES])
          assert.ok(body.includes(`<section id="${one}">`), `${path} says nothing of ${one}`);
      }
    },
  ),
  httpLaw(
    TOPIC,
    'the page loads nothing from other hosts, runs nothing, and every link of it leads somewhere',
    async (world) => {
      const { headers, body } = await world.page('GET', '/docs', 'test');
      assert.equal(headers['content-security-policy']?.includes("default-src 'none'"), true);
      assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe|\*|https?:|script-src|data:/);
      assert.doesNotMatch(body, /<script|<style|\sstyle=|\son\w+=|src=|@import/i);
      for (const [, target = ''] of body.matchAll(/href="([^"]+)"/g)) {
        if (target.startsWith('#')) assert.ok(body.includes(`id="${target.slice(1)}"`), `${target} leads nowhere`);
        else assert.equal((await world.page('GET', `/${target}`, 'test')).status, 200, target);
      }
    },
  ),
  httpLaw(
    TOPIC,
    'pages count in the global tiers, carry the headers of every answer, and take a key or none',
    async (world) => {
      for (const path of PAGE_PATHS) {
        for (let left = 9; left >= 0; left -= 1) {
          const { status, headers } = await world.page('GET', path, 'test');
          assert.equal(status, 200);
          assert.match(headers['x-request-id'] ?? '', /^req_/);
          assert.equal(headers['x-ratelimit-remaining-short'], String(left));
        }
        for (const method of ['GET', 'HEAD'] as const)
          assert.equal((await world.page(method, path, 'test')).status, 429);
        assert.equal((await world.send('GET', '/nowhere')).status, 429, 'the windows are those of unknown paths');
        const headed = await world.page('HEAD', path, 'live');
        assert.deepEqual([headed.status, headed.body], [200, '']);
        await world.t.clock.advance('10s');
      }
    },
    { rateLimits: 'on' },
  ),
];
