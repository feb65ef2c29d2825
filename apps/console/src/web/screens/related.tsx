import type { Remote } from '../app/app.js';
import type { Found, Inspected } from '../wire/types.js';
import { useUi } from '../ui/context.js';
import { Panel, Time } from '../ui/parts.js';
import { hrefOfFound, labelOf, typeOf } from '../ui/search.js';

/** What an object was caused by and what it caused. Left out while it is not known. */
export function Related({ remote }: { readonly remote: Remote<Inspected> | undefined }) {
  const { t, to } = useUi();
  if (remote?.at !== 'ready') return null;
  const { caused_by: causedBy, caused, refused_requests: refused } = remote.value;
  return (
    <Panel title={t.related.title}>
      {causedBy.length + caused.length + refused.length === 0 && <p class="quiet pad">{t.related.nothing}</p>}
      <Links title={t.related.causedBy} found={causedBy} />
      <Links title={t.related.caused} found={caused} />
      {refused.length > 0 && (
        <div class="links">
          <h3>{t.related.refused}</h3>
          <ul>
            {refused.map((one) => (
              <li key={one.request_id}>
                <a href={to('object', one.request_id)}>
                  <span class="badge badge-bad">{`${one.status} ${one.code}`}</span>
                  <bdi>{`${one.method} ${one.route}`}</bdi>
                  <Time at={one.at} clock="live" />
                  <code>{one.request_id}</code>
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
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
              <span class="badge badge-plain">{typeOf(one, ui.t)}</span>
              <bdi>{labelOf(one, ui.t)}</bdi>
              <code>{one.id}</code>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
