import type { Messages } from '../i18n/en.js';

/** A placeholder of the first step, as in `index.html`; it reserves the room that the step will take. */
export function Skeleton({ t }: { readonly t: Messages }) {
  return (
    <div class="step skeleton">
      <p class="unseen" role="status">
        {t.loading}
      </p>
      <i class="bone bone-heading" />
      <i class="bone bone-price" />
      <i class="bone bone-method" />
      <i class="bone bone-method" />
      <i class="bone bone-button" />
    </div>
  );
}
