import type { Messages } from '../i18n/en.js';

/** The first step before it is there, as `index.html` has it too: what comes takes no more room. */
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
