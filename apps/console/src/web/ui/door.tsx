import type { Door } from '../app/app.js';
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
            <p class="fine quiet">{t.door.howTo}</p>
            <pre dir="ltr" tabIndex={0}>
              {COMMAND}
            </pre>
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
