import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { hrefOf, OPERATOR_PAGES, PARTNER_PAGES, readRoute } from '../../src/web/app/route.js';

describe('addresses', () => {
  it('name a page, its object and its filters', () => {
    expect(readRoute('#/sessions?status=open')).toEqual({
      scope: null,
      page: { name: 'sessions', id: null, query: { status: 'open' } },
    });
    expect(readRoute('#/live/acme/session/abc')).toEqual({
      scope: { mode: 'live', partner: 'acme' },
      page: { name: 'session', id: 'abc', query: {} },
    });
    expect(readRoute('')).toEqual({ scope: null, page: { name: 'home', id: null, query: {} } });
  });

  it('that lead nowhere have no page', () => {
    for (const fragment of ['#/nowhere', '#/session', '#/sessions/abc', '#/session/a/b', '#/__proto__', '#/%E0%A4%A'])
      expect(readRoute(fragment).page, fragment).toBeNull();
  });

  const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
  const withId = ['session', 'transaction', 'event', 'delivery', 'object', 'partner', 'operation'];
  const page = fc.constantFrom(...PARTNER_PAGES, ...OPERATOR_PAGES);
  test.prop([page, text, fc.dictionary(text, text, { maxKeys: 3 })])(
    'are read as they are written',
    (name, id, query) => {
      const given = withId.includes(name) ? id : null;
      // An empty query is the same as none, and prototypes are no query.
      const own = { ...query };
      expect(readRoute(hrefOf(null, name, given, own)).page).toEqual({ name, id: given, query: own });
    },
  );
});
