import { useEffect, useState } from 'preact/hooks';
import type { Component, Visit } from '../../app/screen.js';
import type { TermedProps } from '../../ui/context.js';
import type * as Elsewhere from './elsewhere-views.js';

type Views = typeof Elsewhere;

/** What is done elsewhere: its views are fetched when the first one is shown, since most buyers never see one. */
export function ElsewhereView({ screen, ...props }: TermedProps<Component | Visit>) {
  const [views, setViews] = useState<Views | null>(null);
  useEffect(() => {
    void import('./elsewhere-views.js').then(setViews);
  }, []);
  if (views === null) return null;
  return screen.at === 'visit' ? (
    <views.VisitView {...props} screen={screen} />
  ) : (
    <views.ComponentView {...props} screen={screen} />
  );
}
