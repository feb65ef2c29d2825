import { LANGUAGES } from '../i18n/messages.js';
import { useUi } from './context.js';

/** Names of the languages, each in itself. */
const NAMES = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const;

export function LanguageChoice() {
  const { app, t, send } = useUi();
  return (
    <label class="choice">
      <span>{t.language}</span>
      <select
        value={app.settings.language}
        onChange={({ currentTarget }) => send({ type: 'chose', settings: { language: currentTarget.value } })}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {NAMES[language]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ThemeChoice() {
  const { app, t, send } = useUi();
  return (
    <label class="choice">
      <span>{t.theme}</span>
      <select
        value={app.settings.theme ?? 'device'}
        onChange={({ currentTarget: { value } }) =>
          send({ type: 'chose', settings: { theme: value === 'light' || value === 'dark' ? value : null } })
        }
      >
        {(['device', 'light', 'dark'] as const).map((theme) => (
          <option key={theme} value={theme}>
            {t.themes[theme]}
          </option>
        ))}
      </select>
    </label>
  );
}
