import { isWebAddress } from '../../host/web-address.js';
import type { Messages } from '../../i18n/en.js';
import { Heading } from '../../ui/heading.js';
import type { Intent } from '../../wire/types.js';

/** An action that this version does not know. If it has a URL, the buyer can complete it there. */
export function ElsewhereView({ intent, t }: { readonly intent: Intent; readonly t: Messages }) {
  const url = linkOf(intent.next_action);
  return (
    <>
      <Heading>{t.elsewhereTitle}</Heading>
      <p>{t.elsewhereText}</p>
      {url !== null && (
        <a class="button button-main" href={url} target="_blank" rel="noopener noreferrer">
          {t.continue}
          <span class="unseen"> {t.inNewTab}</span>
        </a>
      )}
    </>
  );
}

function linkOf(action: object | null): string | null {
  const url = action !== null && 'url' in action ? action.url : null;
  return typeof url === 'string' && isWebAddress(url) ? url : null;
}
