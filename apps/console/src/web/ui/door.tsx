import { useEffect, useRef } from 'preact/hooks';
import type { Door, Question } from '../app/app.js';
import type { Doors, Identity } from '../wire/types.js';
import { useUi } from './context.js';
import { Icon } from './icons.js';
import { LanguageChoice, ThemeChoice } from './settings.js';

const COMMAND = 'gate console invite --partner ID --mode test';

/** What people see who are not signed in, with the reason and the way in. */
export function DoorView({ door }: { readonly door: Exclude<Door, { at: 'inside' }> }) {
  const { t, send } = useUi();
  return (
    <main class="door">
      <div class="door-card">
        <p class="brand-name">
          <Icon name="keys" size={20} /> Gateramp
        </p>
        {door.at === 'opening' && (
          <>
            <h1 tabIndex={-1}>{t.console}</h1>
            <p class="quiet" role="status">
              {t.door.opening}
            </p>
          </>
        )}
        {door.at === 'outside' && (
          <>
            <h1 tabIndex={-1}>{t.door.title}</h1>
            <p>{t.door[door.why]}</p>
            <Ways doors={door.doors} />
            {door.why === 'left' && <ProviderSignOut url={door.doors?.oidc?.sign_out_url ?? null} />}
            <p class="fine quiet">
              {t.door.howTo}
              {door.doors?.links !== undefined && ` ${t.door.links[door.doors.links]}`}
            </p>
            {door.doors?.links === 'command' && (
              <pre dir="ltr" tabIndex={0}>
                {COMMAND}
              </pre>
            )}
          </>
        )}
        {door.at === 'asking' && <QuestionView question={door} />}
        {door.at === 'enrolling' && (
          <>
            <h1 tabIndex={-1}>{t.door.enrolTitle}</h1>
            <p>{t.door.enrolLead}</p>
            <button type="button" class="button button-main" onClick={() => send({ type: 'chose_passkey' })}>
              {t.door.enrol}
            </button>
          </>
        )}
        {door.at === 'unreachable' && (
          <>
            <h1 tabIndex={-1}>{t.console}</h1>
            <p role="alert">{t.door.unreachable}</p>
            <button type="button" class="button button-main" onClick={() => send({ type: 'tried_again' })}>
              {t.tryAgain}
            </button>
          </>
        )}
        <div class="door-end">
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </div>
    </main>
  );
}

/** Whether a sign-in link or a passkey may replace the open session, which is the first choice. */
function QuestionView({ question: { code, current, link } }: { readonly question: Question }) {
  const { t, send } = useUi();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isUsed = code !== null && link === null;
  const answer = (isLinkUsed: boolean) => send({ type: 'answered_question', isLinkUsed });
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {isUsed ? t.door.usedTitle : t.door.askTitle}
      </h1>
      <p>{isUsed ? t.door.invalid_invite : code === null ? t.door.askPasskeyLead : t.door.askLead}</p>
      <dl class="door-people">
        <IdentityView label={t.door.current} of={current} />
        {link !== null && <IdentityView label={t.door.linkOf} of={link} />}
      </dl>
      <div class="actions">
        <button type="button" class="button button-main" onClick={() => answer(false)}>
          {t.door.stay}
        </button>
        {!isUsed && (
          <button type="button" class="button" onClick={() => answer(true)}>
            {code === null ? t.door.passkey : t.door.useLink}
          </button>
        )}
      </div>
    </>
  );
}

function IdentityView({ label, of }: { readonly label: string; readonly of: Identity }) {
  const { t } = useUi();
  const where = of.partner === null ? ['Gateramp'] : [of.partner.name, of.mode === null ? '' : t.modes[of.mode]];
  return (
    <div>
      <dt class="fine quiet">{label}</dt>
      <dd>
        <bdi>{of.actor.id}</bdi>
      </dd>
      <dd class="fine">
        {[...where, t.roles[of.role] ?? of.role].map((part, nth) => (
          <span key={part}>
            {nth > 0 && ' · '}
            <bdi>{part}</bdi>
          </span>
        ))}
      </dd>
    </div>
  );
}

/** For shared computers: while the provider session lasts, the next person could sign in without a password. */
function ProviderSignOut({ url }: { readonly url: string | null }) {
  const { t } = useUi();
  return (
    url !== null && (
      <p>
        <a href={url}>{t.door.oidcEnd}</a>
      </p>
    )
  );
}

/** How people sign in without a link. */
function Ways({ doors }: { readonly doors: Doors | null }) {
  const { t, send } = useUi();
  if (doors === null || (doors.oidc === null && !doors.passkey)) return null;
  return (
    <div class="actions">
      {doors.oidc !== null && (
        <a class="button button-main" href={doors.oidc.url}>
          {t.door.oidc}
        </a>
      )}
      {doors.passkey && (
        <button type="button" class="button" onClick={() => send({ type: 'chose_passkey' })}>
          {t.door.passkey}
        </button>
      )}
    </div>
  );
}
