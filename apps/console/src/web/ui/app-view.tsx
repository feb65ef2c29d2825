import type { App } from '../app/app.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import { ScreenView } from '../screens/screen-view.js';
import { UiContext } from './context.js';
import { FormDialog } from './dialog.js';
import { DoorView } from './door.js';
import { Shell } from './shell.js';

/** The whole page. */
export function AppView({ app, t, send }: { readonly app: App; readonly t: Messages; readonly send: Send }) {
  return (
    <UiContext.Provider value={{ app, t, send }}>
      {app.door.at === 'inside' ? (
        <Shell me={app.door.me}>
          <ScreenView />
        </Shell>
      ) : (
        <DoorView door={app.door} />
      )}
      {app.form !== null && <FormDialog key={`${app.form.name} ${app.form.subject}`} form={app.form} />}
      <p class="toast" role="status">
        {app.notice !== null && <span key={app.notice}>{t.notices[app.notice]}</span>}
      </p>
    </UiContext.Provider>
  );
}
