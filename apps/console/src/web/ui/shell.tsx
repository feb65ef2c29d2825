import type { ComponentChildren } from 'preact';
import { isInMenu, namedScopeOf, scopeOf } from '../app/app.js';
import { hrefOf, type PageName } from '../app/route.js';
import type { Me, Mode } from '../wire/types.js';
import { useUi } from './context.js';
import { Icon } from './icons.js';
import { Time } from './parts.js';
import { SearchBox } from './search.js';
import { LanguageChoice, ThemeChoice } from './settings.js';

const GROUPS: readonly (readonly [keyof ReturnType<typeof useUi>['t']['groups'] | null, readonly PageName[]])[] = [
  [null, ['home']],
  ['payments', ['sessions', 'transactions']],
  ['developers', ['events', 'deliveries', 'endpoint', 'keys', 'clock', 'file']],
  ['settings', ['domains', 'branding', 'team', 'passkeys', 'approvals', 'audit']],
  ['operations', ['partners', 'work', 'dead_letters', 'pools', 'wallets', 'operations', 'trail']],
];

/** The lists that the page of a single object belongs to. */
const PARENTS: Partial<Record<PageName, PageName>> = {
  session: 'sessions',
  transaction: 'transactions',
  event: 'events',
  delivery: 'deliveries',
  partner: 'partners',
  operation: 'operations',
};

/** The frame of every page: navigation at the side, search on top. */
export function Shell({ me, children }: { readonly me: Me; readonly children: ComponentChildren }) {
  const { app, t, send } = useUi();
  const mode = scopeOf(app)?.mode ?? null;
  return (
    <div class={`shell ${app.isMenuOpen ? 'is-menu-open' : ''}`}>
      <button type="button" class="skip" onClick={() => document.querySelector('h1')?.focus()}>
        {t.skip}
      </button>
      <header class="top">
        <button
          type="button"
          class="menu-button"
          aria-expanded={app.isMenuOpen}
          aria-controls="navigation"
          aria-label={t.menu}
          onClick={() => send({ type: 'toggled_menu' })}
        >
          <Icon name={app.isMenuOpen ? 'cross' : 'menu'} size={20} />
        </button>
        <Where me={me} />
        <SearchBox />
        {mode !== null && <ModeSwitch me={me} mode={mode} />}
        <Account me={me} />
      </header>
      <Navigation me={me} />
      <main class="main">{children}</main>
    </div>
  );
}

/** The partner: a name, or the choice of operators. */
function Where({ me }: { readonly me: Me }) {
  const { app, t } = useUi();
  const scope = scopeOf(app);
  if (me.kind === 'portal' || scope === null) return <bdi class="where">{me.partner?.name ?? 'Gateramp'}</bdi>;
  const page = app.route.page?.name ?? 'home';
  const isKnown = me.partners.some(({ id }) => id === scope.partner);
  return (
    <label class="where">
      <span class="unseen">{t.partner}</span>
      <select
        value={scope.partner}
        onChange={({ currentTarget }) => {
          location.hash = hrefOf({ ...scope, partner: currentTarget.value }, PARENTS[page] ?? page);
        }}
      >
        {!isKnown && <option value={scope.partner}>{scope.partner}</option>}
        {me.partners.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The mode: a mark, or the switch of operators. Live mode has a colour of its own everywhere. */
function ModeSwitch({ me, mode }: { readonly me: Me; readonly mode: Mode }) {
  const { app, t } = useUi();
  const scope = namedScopeOf(app);
  if (me.kind === 'portal' || scope === null) return <span class={`mode mode-${mode}`}>{t.modes[mode]}</span>;
  const page = app.route.page?.name ?? 'home';
  return (
    <div class="modes" role="group" aria-label={t.mode}>
      {(['test', 'live'] as const).map((one) => (
        <a
          key={one}
          class={one === mode ? `mode mode-${one}` : 'mode'}
          href={hrefOf({ ...scope, mode: one }, PARENTS[page] ?? page)}
          aria-current={one === mode ? 'true' : undefined}
        >
          {t.modes[one]}
        </a>
      ))}
    </div>
  );
}

function Account({ me }: { readonly me: Me }) {
  const { t, send } = useUi();
  // The last role is the highest, and includes the others.
  const highest = me.roles.at(-1) ?? 'viewer';
  const role = t.roles[highest] ?? highest;
  return (
    <>
      <button
        type="button"
        class="menu-button account-button"
        popovertarget="account"
        aria-label={t.signedInAs(me.actor.id, role)}
      >
        <Icon name="person" size={18} />
      </button>
      <div id="account" class="account" popover="auto">
        <p>
          <bdi>{me.actor.id}</bdi>
          <span class="quiet"> · {role}</span>
        </p>
        {me.expires_at !== null && (
          <p class="fine quiet">
            {t.sessionUntil} <Time at={me.expires_at} isFull clock="live" />
          </p>
        )}
        <LanguageChoice />
        <ThemeChoice />
        <button type="button" class="button" onClick={() => send({ type: 'signed_out' })}>
          {t.signOut}
        </button>
      </div>
    </>
  );
}

function Navigation({ me }: { readonly me: Me }) {
  const { app, t, to } = useUi();
  const name = app.route.page?.name;
  const current = name === undefined ? null : (PARENTS[name] ?? name);
  const groups = GROUPS.filter(([group]) => group !== 'operations' || me.kind === 'operator');
  return (
    <nav id="navigation" class="nav" aria-label={t.navigation}>
      {groups.map(([group, pages]) => (
        <div key={group ?? ''} class="nav-group">
          {group !== null && <p class="nav-title">{t.groups[group]}</p>}
          <ul>
            {pages
              .filter((page) => isInMenu(app, page))
              .map((page) => (
                <li key={page}>
                  <a href={to(page)} aria-current={page === current ? 'page' : undefined}>
                    <Icon name={page} />
                    {t.pages[page]}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
