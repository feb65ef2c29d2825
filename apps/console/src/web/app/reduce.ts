import { readHistoryFile } from '../time/history-file.js';
import type { ApiResult, Refusal } from '../wire/refusal.js';
import {
  namedScopeOf,
  scopeOf,
  type App,
  type AppEvent,
  type Change,
  type Effect,
  type Loaded,
  type Notice,
  type Outside,
  type Remote,
} from './app.js';
import { text } from './form-spec.js';
import { callOf, fieldsOf, specOf } from './forms.js';
import type { Form, FormEvent } from './form.js';
import { concerns, needsOf, paceOf, scoped, type Need } from './needs.js';
import { hrefOf, isOperatorPage, type Route } from './route.js';

const SEARCH_MIN = 3;
/** The shortest ids, of keys and their beginnings. */
const WHOLE_ID_MIN = 12;
const CLOSED: App['search'] = { text: '', isOpen: false, found: null };

/** The transition of the whole console: everything that can happen, and what it leads to. */
export function reduce(app: App, event: AppEvent): Change {
  switch (event.type) {
    case 'began':
      return event.link?.for === 'passkey'
        ? only({ ...app, door: { at: 'enrolling', code: event.link.code } })
        : { app, effects: [{ type: 'enter', code: event.link?.code ?? null }] };
    case 'doors_answered':
      return app.door.at === 'outside' && event.answer.ok
        ? only({ ...app, door: { ...app.door, doors: event.answer.value } })
        : only(app);
    case 'chose_passkey':
      if (app.door.at === 'enrolling') return { app, effects: [{ type: 'make_passkey', code: app.door.code }] };
      return app.door.at === 'outside' ? { app, effects: [{ type: 'use_passkey', isReplacing: false }] } : only(app);
    case 'passkey_answered':
      return event.answer.ok
        ? entered(app, { type: 'entered', byCode: false, answer: event.answer })
        : outside(app, 'passkey_refused');
    case 'enrolled':
      return outside(app, event.answer.ok ? 'enrolled' : 'invalid_invite');
    case 'entered':
      return entered(app, event);
    case 'session_found':
      return app.door.at === 'opening' || app.door.at === 'outside'
        ? only({ ...app, door: event.question })
        : only(app);
    case 'answered_question': {
      if (app.door.at !== 'asking') return only(app);
      const { code } = app.door;
      // The question stays until the passkey has answered, which the person may also cancel.
      if (code === null && event.isLinkUsed) return { app, effects: [{ type: 'use_passkey', isReplacing: true }] };
      const effect: Effect =
        code !== null && event.isLinkUsed ? { type: 'replace_session', code } : { type: 'enter', code: null };
      return { app: { ...app, door: { at: 'opening' } }, effects: [effect] };
    }
    case 'went':
      return app.door.at === 'inside' ? arrive(leftPage(app, event.route)) : only({ ...app, route: event.route });
    case 'moved':
      return moved(app, event.query);
    case 'answered':
      return answered(app, event);
    case 'reloaded':
      return arrive({ ...app, loaded: outdated(app.loaded) });
    case 'stream_opened':
      return arrive({ ...app, loaded: outdated(app.loaded, (_, { remote }) => !isAnswerRefused(remote)) });
    case 'changed':
      return arrive({
        ...app,
        loaded: outdated(app.loaded, (name, { remote }) => !isAnswerRefused(remote) && isConcerned(name, event)),
      });
    case 'session_ended':
      return app.door.at === 'inside' ? outside(app, 'expired') : only(app);
    case 'tried_again':
      return app.door.at === 'inside'
        ? arrive({ ...app, loaded: {} })
        : { app: { ...app, door: { at: 'opening' } }, effects: [{ type: 'enter', code: null }] };
    case 'searched':
      return searched(app, event.text);
    case 'search_answered': {
      if (!app.search.isOpen || app.search.text !== event.text) return only(app);
      const { answer } = event;
      const found = answer.ok ? ready(answer.value) : refused(answer.refusal);
      return only({ ...app, search: { ...app.search, found, isPartial: event.isPartial === true } });
    }
    case 'closed_search':
      return only({ ...app, search: CLOSED });
    case 'toggled_menu':
      return only({ ...app, isMenuOpen: !app.isMenuOpen });
    case 'chose': {
      const settings = { ...app.settings, ...event.settings };
      return { app: { ...app, settings }, effects: [{ type: 'keep', settings }] };
    }
    case 'copied':
      return { app: { ...app, notice: 'copied' }, effects: [{ type: 'copy', text: event.text }] };
    case 'read_file':
      return only({ ...app, file: readHistoryFile(event.text) ?? 'invalid' });
    case 'dismissed':
      return only({ ...app, notice: null });
    case 'signed_out':
      return left(app);
    case 'sign_out_answered':
      return only(event.answer.ok ? app : signOutFailed(app, event.answer.refusal));
    default:
      return changed(app, event);
  }
}

const only = (app: App): Change => ({ app, effects: [] });
const ready = <Value>(value: Value): Remote<Value> => ({ at: 'ready', value, isStale: false });
const refused = (refusal: Refusal): Remote<never> => ({ at: 'refused', refusal });

function entered(app: App, { answer, byCode }: Extract<AppEvent, { type: 'entered' }>): Change {
  if (answer.ok)
    return arrive({ ...app, ahead: answer.ahead ?? app.ahead, door: { at: 'inside', me: answer.value }, loaded: {} });
  const { refusal } = answer;
  if (refusal.status === 401 || refusal.status === 403) return outside(app, byCode ? 'invalid_invite' : 'no_session');
  return only({ ...app, door: { at: 'unreachable', refusal } });
}

/** Nothing that was read stays visible to the next person at this screen. */
const outside = (app: App, why: Outside): Change => ({
  app: {
    ...app,
    file: undefined,
    door: { at: 'outside', why, doors: null },
    loaded: {},
    form: null,
    search: CLOSED,
    notice: null,
    isMenuOpen: false,
  },
  effects: [{ type: 'ask_doors' }],
});

function left(app: App): Change {
  const change = outside(app, 'left');
  return { app: change.app, effects: [{ type: 'leave' }, ...change.effects] };
}

/** The session may still be open, so the page must not claim that the user has signed out. */
function signOutFailed(app: App, refusal: Refusal): App {
  const isEnded = refusal.status === 401 || app.door.at !== 'outside';
  return isEnded ? app : { ...app, door: { at: 'unreachable', refusal } };
}

const leftPage = (app: App, route: Route): App => ({
  ...app,
  route,
  form: null,
  search: CLOSED,
  isMenuOpen: false,
  notice: null,
});

/** Reads what the page shows, unless it is already there from the same path. What other pages have read is dropped. */
function arrive(app: App): Change {
  const { page } = app.route;
  if (page === null) return only({ ...app, loaded: {} });
  const scope = namedScopeOf(app);
  const isForOperators = isOperatorPage(page.name);
  if (!isForOperators && scopeOf(app) === null) return only({ ...app, loaded: {} });
  const needs = needsOf(page, app.door.at === 'inside' ? app.door.me : null).map((need) => ({
    need,
    path: isForOperators || need.isOfInstallation === true ? need.path : scoped(need.path, scope),
  }));
  const entries = needs.map(({ need, path }) => {
    const present = app.loaded[need.name];
    const isPresent = present?.path === path;
    const isToRead = !isPresent || (present.isOutdated === true && !isBeingRead(present.remote));
    if (!isToRead) return { need, path, isToRead, entry: present };
    const remote = isPresent && present.remote.at === 'ready' ? { ...present.remote, isStale: true } : LOADING;
    return { need, path, isToRead, entry: { path, remote } };
  });
  return {
    app: { ...app, loaded: Object.fromEntries(entries.map(({ need, entry }) => [need.name, entry])) },
    effects: entries.flatMap(({ need, path, isToRead }): Effect[] =>
      isToRead ? [{ type: 'load', need: { ...need, path }, path }] : [],
    ),
  };
}

type Entry = NonNullable<Loaded[keyof Loaded]>;

const LOADING = { at: 'loading' } as const;

const isBeingRead = (remote: Entry['remote']): boolean =>
  remote.at === 'loading' || (remote.at === 'ready' && remote.isStale);

/** Whether the service has refused the read. After an outage, a lost connection or a rate limit another read may succeed. */
const isAnswerRefused = (remote: Entry['remote']): boolean =>
  remote.at === 'refused' &&
  remote.refusal.status >= 400 &&
  remote.refusal.status < 500 &&
  remote.refusal.status !== 429;

/** Marks resources to be read again: all of them, or those that are given. */
const outdated = (loaded: Loaded, isGiven: (name: string, entry: Entry) => boolean = () => true): Loaded =>
  Object.fromEntries(
    Object.entries(loaded).map(([name, entry]) => [
      name,
      isGiven(name, entry) ? { ...entry, isOutdated: true } : entry,
    ]),
  );

const isConcerned = (name: string, { topics, pace }: Extract<AppEvent, { type: 'changed' }>): boolean =>
  paceOf(name) === pace && concerns(name, topics);

function answered(app: App, { need, answer }: { readonly need: Need; readonly answer: ApiResult<unknown> }): Change {
  if (app.door.at !== 'inside') return only(app);
  if (!answer.ok && answer.refusal.status === 401) return outside(app, 'expired');
  const asked = app.loaded[need.name];
  // An answer to a page that has been left.
  if (asked?.path !== need.path) return only(app);
  const remote = answer.ok ? ready(answer.value) : refused(answer.refusal);
  const told = (answer.ok ? answer.ahead : undefined) ?? app.ahead;
  // What is about the installation does not tell the time of the sandbox that the page shows.
  const ahead = need.isOfInstallation === true ? { ...told, scope: app.ahead.scope } : told;
  return arrive({ ...app, ahead, loaded: { ...app.loaded, [need.name]: { ...asked, remote } } });
}

function moved(app: App, query: Readonly<Record<string, string>>): Change {
  const { page } = app.route;
  if (page === null) return only(app);
  const next = arrive({ ...app, route: { ...app.route, page: { ...page, query } } });
  const href = hrefOf(namedScopeOf(app), page.name, page.id, query);
  return { app: next.app, effects: [{ type: 'replace', href }, ...next.effects] };
}

function searched(app: App, typed: string): Change {
  const wanted = typed.trim();
  const isLong = wanted.length >= SEARCH_MIN;
  const search = { text: typed, isOpen: true, found: isLong ? ({ at: 'loading' } as const) : null };
  // What is as long as an id is looked for at all partners; a shorter text would be looked for with each letter.
  const scope = wanted.length >= WHOLE_ID_MIN ? null : namedScopeOf(app);
  const path = scoped(`search?${new URLSearchParams({ q: wanted })}`, scope);
  return { app: { ...app, search }, effects: isLong ? [{ type: 'search', text: typed, path }] : [] };
}

function changed(app: App, event: FormEvent): Change {
  if (event.type === 'opened_form') {
    const { name, subject, values } = event;
    const form: Form = { name, subject, values, phase: 'editing', refusal: null, preview: null, result: null };
    return only({ ...app, form, notice: null });
  }
  const { form } = app;
  if (form === null) return only(app);
  switch (event.type) {
    case 'changed_field': {
      if (form.phase === 'sending' || form.phase === 'done') return only(app);
      const values = { ...form.values, [event.field]: event.value };
      return only({ ...app, form: { ...form, values, phase: 'editing', preview: null, refusal: null } });
    }
    case 'submitted':
      return submitted(app, form);
    case 'form_answered':
      return formAnswered(app, form, event);
    case 'closed_form':
      // What is shown once is not kept once its form is closed.
      return form.phase === 'sending' ? only(app) : only({ ...app, form: null });
  }
}

function submitted(app: App, form: Form): Change {
  if (form.phase === 'sending' || form.phase === 'done') return only(app);
  const isPreview = specOf(form.name).hasPreview === true && form.phase === 'editing';
  const missing = isPreview ? null : missingOf(app, form);
  if (missing !== null)
    return only({
      ...app,
      form: { ...form, refusal: { status: 0, code: 'required', message: missing, requestId: null } },
    });
  const call = callOf(form.name, form.values, form.subject, isPreview);
  const isForOperators = app.route.page !== null && isOperatorPage(app.route.page.name);
  const path = isForOperators ? call.path : scoped(call.path, namedScopeOf(app));
  return {
    app: { ...app, form: { ...form, phase: 'sending', refusal: null } },
    effects: [{ type: specOf(form.name).hasPasskey === true ? 'add_passkey' : 'send', call: { ...call, path } }],
  };
}

/** The first required field that is empty. */
function missingOf(app: App, form: Form): string | null {
  const fields = fieldsOf(form.name, scopeOf(app)?.mode ?? 'test');
  return fields.find(({ name, isRequired }) => isRequired === true && text(form.values[name]) === '')?.name ?? null;
}

function formAnswered(app: App, form: Form, { answer }: Extract<FormEvent, { type: 'form_answered' }>): Change {
  if (form.phase !== 'sending') return only(app);
  const spec = specOf(form.name);
  const isPreview = spec.hasPreview === true && form.preview === null;
  if (!answer.ok) {
    if (answer.refusal.status === 401) return outside(app, 'expired');
    const phase = spec.hasPreview === true && !isPreview ? 'previewed' : 'editing';
    return only({ ...app, form: { ...form, phase, refusal: answer.refusal } });
  }
  const value = recordOf(answer.value);
  if (isPreview) return only({ ...app, form: { ...form, phase: 'previewed', preview: value } });
  // A change that requires a second person has not been made yet, so there is no result to show.
  const isShown = spec.shows !== undefined && !isRequest(value);
  const shown: Form | null = isShown ? { ...form, phase: 'done', result: value } : null;
  const notice = noticeOf(form.name, value);
  return arrive({ ...app, form: shown, loaded: outdated(app.loaded), notice: shown === null ? notice : null });
}

function noticeOf(name: Form['name'], value: Readonly<Record<string, unknown>>): Notice {
  // The cast holds by the contract of the API.
  if (name === 'advance_to_end') return value['stopped'] as Notice;
  if (isRequest(value)) return 'requested';
  if (name === 'return_to_checkpoint') return 'returned';
  if (name === 'resend_event' || name === 'test_event') return 'queued';
  return name.includes('replay') ? 'replayed' : 'saved';
}

const isRequest = (value: Readonly<Record<string, unknown>>): boolean =>
  value['object'] === 'approval' && value['state'] === 'pending';

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  // The cast holds: the fields of any object may be read.
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
