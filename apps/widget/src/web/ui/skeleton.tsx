import type { Messages } from '../i18n/en.js';

/** A placeholder for the first step, the same as in `index.html`. It reserves the space of the step. */
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
