import { useUi } from '../ui/context.js';
import { Fact, Facts, Heading, Id, JsonPanel, Panel, Shown } from '../ui/parts.js';
import { pageOfType } from '../ui/search.js';
import { Related } from './related.js';

/** Any object: its JSON, what caused it and what it caused. */
export function ObjectView() {
  const { app, t } = useUi();
  const { object } = app.loaded;
  return (
    <>
      <Heading title={t.pages.object} />
      <Shown remote={object?.remote}>
        {({ type, id, object: value }) => {
          const page = pageOfType(type);
          return (
            <>
              <Panel title={type.replaceAll('_', ' ')}>
                <Facts>
                  <Fact name={t.columns['id'] ?? ''}>
                    {page === 'object' ? <Id id={id} /> : <Id id={id} page={page} />}
                  </Fact>
                </Facts>
              </Panel>
              <Related remote={object?.remote} />
              <JsonPanel value={value} isOpen />
            </>
          );
        }}
      </Shown>
    </>
  );
}
