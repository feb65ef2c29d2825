import { useEffect, useState } from 'preact/hooks';
import type { Documents } from '../../app/screen.js';
import type { ViewProps } from '../../ui/context.js';
import type { ReviewProps } from './review-view.js';
import type * as Loaded from './documents-views.js';

/** Pictures of a document: its views and words are fetched when they are shown, since most buyers never see them. */
export function DocumentsStep(props: ViewProps<Documents>) {
  const views = useViews();
  return views === null ? null : <views.DocumentsView {...props} />;
}

/** What is shown while the documents are reviewed. */
export function ReviewStep(props: ReviewProps) {
  const views = useViews();
  return views === null ? null : <views.ReviewView {...props} />;
}

function useViews(): typeof Loaded | null {
  const [views, setViews] = useState<typeof Loaded | null>(null);
  useEffect(() => {
    void import('./documents-views.js').then(setViews);
  }, []);
  return views;
}
