import { KEY_SCOPES } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';
import { mayDo, namedScopeOf, nowOf } from '../../src/web/app/app.js';
import { FORMS, SCOPES, specOf, type FormName } from '../../src/web/app/forms.js';
import { readRoute } from '../../src/web/app/route.js';
import type { ApiResult } from '../../src/web/wire/refusal.js';
import { aheadOf } from '../../src/web/wire/api.js';
import { after, inside, ok, opening, operator, pathsOf, portal, refused, rolesUpTo } from './app.js';

const DELIVERY = '#/delivery/68a1f0c2b7e94d1f3a5c7e91';

describe('the door', () => {
  it('exchanges the code of an invite, or reads who is signed in', () => {
    const link = { for: 'session', code: 'abc' } as const;
    expect(after(opening(), { type: 'began', link }).effects).toEqual([{ type: 'enter', code: 'abc' }]);
    expect(after(opening(), { type: 'began', link: null }).effects).toEqual([{ type: 'enter', code: null }]);
  });

  it('asks before a link replaces an open session', () => {
    const ada = { actor: { id: 'ada' }, role: 'viewer', partner: null, mode: null } as const;
    const question = { at: 'asking', code: 'abc', current: ada, link: null } as const;
    const asked = after(opening(), { type: 'session_found', question });
    expect([asked.app.door, asked.effects]).toEqual([question, []]);
    const effectsOf = (isLinkUsed: boolean) => after(asked.app, { type: 'answered_question', isLinkUsed }).effects;
    expect(effectsOf(false)).toEqual([{ type: 'enter', code: null }]);
    expect(effectsOf(true)).toEqual([{ type: 'replace_session', code: 'abc' }]);
  });

  it('tells a used invite from a missing session, and both from a service that does not answer', () => {
    const door = (byCode: boolean, status: number) =>
      after(opening(), { type: 'entered', byCode, answer: refused(status) }).app.door;
    expect(door(true, 401)).toMatchObject({ at: 'outside', why: 'invalid_invite' });
    expect(door(false, 401)).toMatchObject({ at: 'outside', why: 'no_session' });
    expect(door(false, 503)).toMatchObject({ at: 'unreachable' });
  });

  it('reports a failed sign-out, unless the session had already ended', () => {
    const signedOut = after(inside('#/home'), { type: 'signed_out' });
    expect(signedOut.app.door).toMatchObject({ at: 'outside', why: 'left' });
    expect(signedOut.effects).toContainEqual({ type: 'leave' });
    const doorAfter = (answer: ApiResult<unknown>) =>
      after(signedOut.app, { type: 'sign_out_answered', answer }).app.door;
    expect(doorAfter(ok(null))).toMatchObject({ at: 'outside', why: 'left' });
    expect(doorAfter(refused(401))).toMatchObject({ at: 'outside', why: 'left' });
    expect(doorAfter(refused(503))).toMatchObject({ at: 'unreachable' });
  });

  it('offers the ways in which operators sign in, and signs in by a passkey once one is chosen', () => {
    const refusedMe = { type: 'entered', byCode: false, answer: refused(401) } as const;
    const outside = after(opening(), refusedMe);
    expect(outside.effects).toEqual([{ type: 'ask_doors' }]);
    const doors = { oidc: null, passkey: true };
    const offered = after(outside.app, { type: 'doors_answered', answer: ok(doors) }).app;
    expect(offered.door).toMatchObject({ doors });
    expect(after(offered, { type: 'chose_passkey' }).effects).toEqual([{ type: 'use_passkey', isReplacing: false }]);
    expect(after(offered, { type: 'passkey_answered', answer: ok(operator()) }).app.door.at).toBe('inside');
    const wrong = after(offered, { type: 'passkey_answered', answer: refused(401) }).app;
    expect(wrong.door).toMatchObject({ at: 'outside', why: 'passkey_refused' });
  });

  it('asks before a passkey replaces an open session, until one is chosen or the person stays', () => {
    const outside = after(opening(), { type: 'entered', byCode: false, answer: refused(401) }).app;
    const ada = { actor: { id: 'ada' }, role: 'viewer', partner: null, mode: null } as const;
    const question = { at: 'asking', code: null, current: ada, link: null } as const;
    const asked = after(outside, { type: 'session_found', question });
    expect([asked.app.door, asked.effects]).toEqual([question, []]);
    const stays = after(asked.app, { type: 'answered_question', isLinkUsed: false });
    expect([stays.app.door.at, stays.effects]).toEqual(['opening', [{ type: 'enter', code: null }]]);
    const uses = after(asked.app, { type: 'answered_question', isLinkUsed: true });
    expect([uses.app.door.at, uses.effects]).toEqual(['asking', [{ type: 'use_passkey', isReplacing: true }]]);
    expect(after(uses.app, { type: 'passkey_answered', answer: ok(portal()) }).app.door.at).toBe('inside');
  });

  it('makes a passkey on this device before it sends the name, and says so if there is none', () => {
    const values = { name: 'Laptop' };
    const form = { type: 'opened_form', name: 'add_passkey', subject: '', values } as const;
    const sent = after(inside('#/passkeys'), form, { type: 'submitted' });
    const call = { method: 'POST', path: 'me/passkeys', body: values } as const;
    expect(sent.effects).toEqual([{ type: 'add_passkey', call }]);
    const none = after(sent.app, { type: 'form_answered', call, answer: refused(0, 'no_passkey') }).app;
    expect(none.form).toMatchObject({ phase: 'editing', values, refusal: { code: 'no_passkey' } });
    expect(after(sent.app, { type: 'form_answered', call, answer: ok({}) }).app.form).toBeNull();
  });

  it('registers a passkey by a link of its own, and then asks to sign in with it', () => {
    const link = { for: 'passkey', code: 'abc' } as const;
    const enrolling = after(opening(), { type: 'began', link });
    expect(enrolling.effects).toEqual([]);
    expect(after(enrolling.app, { type: 'chose_passkey' }).effects).toEqual([{ type: 'make_passkey', code: 'abc' }]);
    const done = after(enrolling.app, { type: 'enrolled', answer: ok(null) }).app;
    expect(done.door).toMatchObject({ at: 'outside', why: 'enrolled' });
  });

  it('keeps nothing that was read once a session has expired', () => {
    const app = inside('#/home');
    const need = { name: 'overview', path: 'overview' } as const;
    const read = after(app, { type: 'answered', need, answer: ok({ now: 'now' }) }).app;
    expect(read.loaded.overview?.remote.at).toBe('ready');
    const gone = after(
      read,
      { type: 'reloaded' },
      { type: 'answered', need, answer: refused(401, 'unauthenticated') },
    ).app;
    expect(gone).toMatchObject({ door: { at: 'outside', why: 'expired' }, loaded: {}, form: null });
  });
});

describe('the time', () => {
  const SECOND = 1000;

  it('is that of the server as told by the answers to the page, and of operators’ pages that of live mode', () => {
    const headers = new Headers({ 'gate-now': String(50 * SECOND), 'gate-sandbox-now': String(90 * SECOND) });
    const told = aheadOf(headers, 40 * SECOND);
    const need = { name: 'overview', path: 'overview' } as const;
    const { app } = after(inside('#/home'), { type: 'answered', need, answer: { ...ok({}), ...told } });
    expect([nowOf(app, 'scope', 41 * SECOND), nowOf(app, 'live', 41 * SECOND)]).toEqual([91 * SECOND, 51 * SECOND]);
    const work = { ...app, route: readRoute('#/work') };
    expect(nowOf(work, 'scope', 41 * SECOND)).toBe(51 * SECOND);
  });

  it('of a sandbox is not that of the installation, whose figures home shows to operators as well', () => {
    const { app, effects } = after(opening('#/test/acme/home'), {
      type: 'entered',
      byCode: false,
      answer: ok(operator()),
    });
    const answers = effects.flatMap((effect) => {
      if (effect.type !== 'load') return [];
      // As the server answers: it tells the time of the sandbox where a partner and a mode are named.
      const ahead = { live: 2 * SECOND, scope: (effect.path.includes('mode=test') ? 90 : 2) * SECOND };
      return [{ type: 'answered', need: effect.need, answer: { ...ok({}), ahead } } as const];
    });
    expect(answers).toHaveLength(5);
    for (const order of [answers, answers.toReversed()])
      expect(after(app, ...order).app.ahead).toEqual({ live: 2 * SECOND, scope: 90 * SECOND });
  });

  it('stays as it was after an answer that does not tell it, or to a page that has been left', () => {
    const told = aheadOf(new Headers({ 'gate-now': '7000' }), 5000);
    expect(told).toEqual({ ahead: { live: 2000, scope: 2000 } });
    const entered = after(opening(), { type: 'entered', byCode: false, answer: { ...ok(portal()), ...told } }).app;
    expect(entered.ahead).toEqual(told.ahead);
    expect(aheadOf(new Headers({ 'gate-now': 'soon' }), 5000)).toEqual({});
    const left = { name: 'overview', path: 'overview?partner=other&mode=test' } as const;
    const late = { ...ok({}), ahead: { live: 9, scope: 9 } };
    expect(after(entered, { type: 'answered', need: left, answer: late }).app.ahead).toEqual(told.ahead);
    const need = { name: 'overview', path: 'overview' } as const;
    expect(after(entered, { type: 'answered', need, answer: ok({}) }).app.ahead).toEqual(told.ahead);
  });
});

describe('pages', () => {
  it('read what they show, with the filters of the address', () => {
    const { effects } = after(inside('#/home'), {
      type: 'went',
      route: readRoute('#/sessions?status=open&created_after=2030-01-02&nonsense=1'),
    });
    expect(pathsOf(effects)).toEqual(['sessions?status=open&created_after=2030-01-02T00%3A00%3A00.000Z&limit=25']);
  });

  it('continue sessions of one payment by the cursor of that list', () => {
    const fragment = '#/sessions?payment=declined&status=open&after=65f0&starting_after=no';
    const { effects } = after(inside('#/home'), { type: 'went', route: readRoute(fragment) });
    expect(pathsOf(effects)).toEqual(['session_payments?payment=declined&status=open&after=65f0&limit=25']);
  });

  it('name partner and mode for operators only', () => {
    const toSessions = { type: 'went', route: readRoute('#/live/acme/sessions') } as const;
    const { app, effects } = after(inside('#/partners', operator()), toSessions);
    expect(namedScopeOf(app)).toEqual({ partner: 'acme', mode: 'live' });
    expect(pathsOf(effects)).toEqual(['sessions?limit=25&partner=acme&mode=live']);
    expect(pathsOf(after(inside('#/home'), toSessions).effects)).toEqual(['sessions?limit=25']);
  });

  it('ask for nothing without a partner, except for those of operators', () => {
    const withoutPartners = operator({ partners: [] });
    const enter = { type: 'entered', byCode: false, answer: ok(withoutPartners) } as const;
    expect(after(opening('#/sessions'), enter).effects).toEqual([]);
    expect(pathsOf(after(opening('#/partners'), enter).effects)).toEqual(['partners']);
  });

  it('ignore an answer to a page that has been left', () => {
    const left = after(inside('#/sessions?status=open'), {
      type: 'went',
      route: readRoute('#/sessions?status=expired'),
    }).app;
    const late = after(left, {
      type: 'answered',
      need: { name: 'sessions', path: 'sessions?status=open&limit=25' },
      answer: ok({ data: [], has_more: false }),
    }).app;
    expect(late.loaded.sessions?.remote.at).toBe('loading');
  });

  it('stay visible while they are read again', () => {
    const need = { name: 'keys', path: 'keys' } as const;
    const shown = after(inside('#/keys'), { type: 'answered', need, answer: ok({ data: [] }) }).app;
    const again = after(shown, { type: 'reloaded' });
    expect(again.app.loaded.keys?.remote).toMatchObject({ at: 'ready', isStale: true });
    expect(pathsOf(again.effects)).toEqual(['keys']);
  });

  it('keep filters and steps in the address without reading anything twice', () => {
    const app = inside('#/session/abc');
    const { app: moved, effects } = after(app, { type: 'moved', query: { sequence: '2' } });
    expect(effects).toEqual([{ type: 'replace', href: '#/session/abc?sequence=2' }]);
    expect(moved.route.page?.query).toEqual({ sequence: '2' });
  });
});

describe('forms', () => {
  const opens = (name: FormName, subject = '') => ({ type: 'opened_form', name, subject, values: {} }) as const;

  it('send once, however often they are submitted', () => {
    const first = after(inside(DELIVERY), opens('replay', 'd1'), { type: 'submitted' });
    expect(first.effects).toEqual([{ type: 'send', call: { method: 'POST', path: 'deliveries/d1/replay' } }]);
    expect(after(first.app, { type: 'submitted' }).effects).toEqual([]);
  });

  it('require a reason in live mode', () => {
    const live = after(inside(DELIVERY, portal({ mode: 'live' })), opens('replay', 'd1'), { type: 'submitted' });
    expect(live.effects).toEqual([]);
    expect(live.app.form?.refusal).toMatchObject({ code: 'required', message: 'reason' });
    const given = after(live.app, { type: 'changed_field', field: 'reason', value: 'lost' }, { type: 'submitted' });
    expect(given.effects).toMatchObject([{ call: { body: { reason: 'lost' } } }]);
  });

  it.each([
    ['seconds', 5],
    ['minutes', 300],
    ['hours', 18_000],
    ['days', 432_000],
  ])('advance the clock by a span in %s', (unit, seconds) => {
    const form = { ...opens('advance_clock'), values: { span: '5', unit } };
    const sent = after(inside('#/clock'), form, { type: 'submitted' });
    expect(sent.effects).toMatchObject([{ call: { path: 'clock/advance', body: { seconds } } }]);
  });

  it('that only read need no reason in live mode', () => {
    const asked = after(inside('#/session/s1', portal({ mode: 'live' })), opens('export_test', 's1'), {
      type: 'submitted',
    });
    expect(asked.effects).toEqual([{ type: 'send', call: { method: 'GET', path: 'sessions/s1/test' } }]);
  });

  it('preview a bulk replay, and count again when a field changes', () => {
    const asked = after(inside('#/deliveries'), opens('bulk_replay'), { type: 'submitted' });
    expect(asked.effects).toMatchObject([{ call: { path: 'deliveries/replay', body: { dry_run: true } } }]);
    const [effect] = asked.effects;
    const call = effect?.type === 'send' ? effect.call : { method: 'POST' as const, path: '' };
    const counted = after(asked.app, {
      type: 'form_answered',
      call,
      answer: ok({ total: 3, by_event_type: { a: 3 } }),
    }).app;
    expect(counted.form).toMatchObject({ phase: 'previewed', preview: { total: 3 } });
    expect(after(counted, { type: 'submitted' }).effects).toMatchObject([{ call: { body: { dry_run: false } } }]);
    const changed = after(counted, { type: 'changed_field', field: 'event_types', value: 'a' }, { type: 'submitted' });
    expect(changed.effects).toMatchObject([{ call: { body: { dry_run: true, event_types: ['a'] } } }]);
  });

  it('show a secret until they are closed, and reload the page', () => {
    const need = { name: 'endpoint', path: 'endpoint' } as const;
    const shown = after(inside('#/endpoint'), { type: 'answered', need, answer: ok({ url: null }) }).app;
    const sent = after(shown, opens('rotate_secret'), { type: 'submitted' }).app;
    const call = { method: 'POST', path: 'endpoint/rotate_secret' } as const;
    const done = after(sent, { type: 'form_answered', call, answer: ok({ secret: 'whsec_x' }) });
    expect(done.app.form).toMatchObject({ phase: 'done', result: { secret: 'whsec_x' } });
    expect(pathsOf(done.effects)).toEqual(['endpoint']);
    expect(JSON.stringify(after(done.app, { type: 'closed_form' }).app)).not.toContain('whsec_x');
  });

  it('keep what was typed when the service refuses, and close when the page changes', () => {
    const typed = after(
      inside('#/endpoint'),
      opens('endpoint'),
      { type: 'changed_field', field: 'url', value: 'http://x' },
      { type: 'submitted' },
    ).app;
    const call = { method: 'PATCH', path: 'endpoint' } as const;
    const told = after(typed, { type: 'form_answered', call, answer: refused(400, 'validation_failed') }).app;
    expect(told.form).toMatchObject({
      phase: 'editing',
      values: { url: 'http://x' },
      refusal: { code: 'validation_failed' },
    });
    expect(after(told, { type: 'went', route: readRoute('#/keys') }).app.form).toBeNull();
  });

  it('offer every scope of a key that the gate knows', () => {
    expect(SCOPES.toSorted()).toEqual(['*', ...KEY_SCOPES].toSorted());
  });

  it('are offered to the roles that may use them', () => {
    const allowed = (role: Parameters<typeof rolesUpTo>[0], mode: 'test' | 'live') => {
      const app = inside('#/home', portal({ mode, roles: rolesUpTo(role) }));
      return (Object.keys(FORMS) as FormName[]).filter((name) => mayDo(app, specOf(name).permission));
    };
    const everyone = ['check_signature', 'export_history', 'export_test', 'add_passkey', 'remove_passkey'];
    expect(allowed('viewer', 'test')).toEqual(everyone);
    expect(allowed('support', 'live')).toEqual([
      'replay',
      'cancel_session',
      'resend_event',
      'test_event',
      'check_signature',
      'export_history',
      'export_test',
      'bulk_replay',
      'add_passkey',
      'remove_passkey',
      'decline',
      'replay_dead',
      'refund',
      'request_refund',
    ]);
    expect(allowed('developer', 'live')).toEqual(allowed('support', 'live'));
    expect(allowed('developer', 'test')).toContain('rotate_secret');
    expect(allowed('operator', 'live')).toContain('endpoint');
    expect(allowed('operator', 'live')).not.toContain('issue_key');
    expect(allowed('admin', 'live')).toEqual(Object.keys(FORMS));
  });
});

describe('search', () => {
  const types = (text: string) => ({ type: 'searched', text }) as const;

  it('asks from three characters on, for what was typed', () => {
    expect(after(inside('#/home'), types('ab')).effects).toEqual([]);
    expect(after(inside('#/home'), types(' abc ')).effects).toEqual([
      { type: 'search', text: ' abc ', path: 'search?q=abc' },
    ]);
  });

  it('looks for what may be a whole id at all partners, and for a shorter text at the one of the page', () => {
    const at = (text: string) => after(inside('#/test/acme/home', operator()), types(text)).effects;
    expect(at('ac')).toEqual([]);
    expect(at('acme')).toMatchObject([{ path: 'search?q=acme&partner=acme&mode=test' }]);
    expect(at('gtx_06h2sn69g90sf5oa9frj')).toMatchObject([{ path: 'search?q=gtx_06h2sn69g90sf5oa9frj' }]);
  });

  it('shows results of the text that is there, not of an earlier one', () => {
    const answer = ok([{ type: 'session', id: 'abc', label: null }]);
    const found = (text: string) =>
      after(inside('#/home'), types('abcd'), { type: 'search_answered', text, answer }).app.search.found;
    expect(found('abc')).toEqual({ at: 'loading' });
    expect(found('abcd')).toMatchObject({ at: 'ready' });
  });
});
