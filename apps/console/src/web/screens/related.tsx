import type { Remote } from '../app/app.js';
import type { Found, Inspected } from '../wire/types.js';
import { useUi } from '../ui/context.js';
import { Panel } from '../ui/parts.js';
import { hrefOfFound } from '../ui/search.js';

/** What an object was caused by and what it caused. Left out while it is not known. */
export function Related({ remote }: { readonly remote: Remote<Inspected> | undefined }) {
  const { t } = useUi();
  if (remote?.at !== 'ready') return null;
  const { caused_by: causedBy, caused } = remote.value;
  return (
    <Panel title={t.related.title}>
      {causedBy.length + caused.length === 0 && <p class="quiet pad">{t.related.nothing}</p>}
      <Links title={t.related.causedBy} found={causedBy} />
      <Links title={t.related.caused} found={caused} />
    </Panel>
  );
}

function Links({ title, found }: { readonly title: string; readonly found: readonly Found[] }) {
  const ui = useUi();
  if (found.length === 0) return null;
  return (
    <div class="links">
      <h3>{title}</h3>
      <ul>
        {found.map((one) => (
          <li key={`${one.type} ${one.id}`}>
            <a href={hrefOfFound(ui, one)}>
              <span class="badge badge-plain">{one.type.replaceAll('_', ' ')}</span>
              <bdi>{one.label}</bdi>
              <code>{one.id}</code>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
