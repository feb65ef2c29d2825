import { FILE_BYTES_MAX } from '../time/history-file.js';
import { useUi } from '../ui/context.js';
import { Heading, Panel, Time } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import type { RefusedRequest } from '../wire/types.js';
import { TimeMachine } from './time-machine.js';

/** Opens a history that another console has exported. The file is read in the browser only. */
export function FileView() {
  const { app, t, send } = useUi();
  const { file } = app;
  const open = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    if (chosen.size > FILE_BYTES_MAX) send({ type: 'read_file', text: '' });
    else void chosen.text().then((text) => send({ type: 'read_file', text }));
  };
  return (
    <>
      <Heading title={t.pages.file} />
      <Panel title={t.file.choose}>
        <div class="pad">
          <p class="quiet">{t.file.lead}</p>
          <input
            type="file"
            accept=".json,application/json"
            aria-label={t.file.choose}
            onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
          />
          {file === 'invalid' && (
            <p class="notice notice-bad" role="alert">
              {t.file.invalid}
            </p>
          )}
        </div>
      </Panel>
      {file !== undefined && file !== 'invalid' && (
        <>
          <Panel title={t.file.of(file.history.session_id)}>
            <TimeMachine history={file.history} isForeign />
          </Panel>
          {file.requests.length > 0 && (
            <Panel title={t.related.refused}>
              <Table<RefusedRequest>
                caption={t.related.refused}
                rows={file.requests}
                keyOf={({ request_id: id }) => id}
                columns={[
                  { name: 'at', cell: ({ at }) => <Time at={at} isFull /> },
                  { name: 'action', cell: ({ method, route }) => <code dir="ltr">{`${method} ${route}`}</code> },
                  { name: 'response', cell: ({ status, code }) => <code dir="ltr">{`${status} ${code}`}</code> },
                ]}
              />
            </Panel>
          )}
        </>
      )}
    </>
  );
}
