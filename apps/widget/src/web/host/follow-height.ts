interface Resize {
  readonly height: number;
  readonly isNewStep: boolean;
}

type FollowHeight = (change: Pick<Resize, 'isNewStep'>) => void;

/**
 * Posts the height that the checkout needs whenever it changes, independent of the height of the frame. The returned function posts a
 * changed height at once, and for a new step also an unchanged one.
 */
export function followHeight(page: ParentNode, post: (resize: Resize) => void): FollowHeight {
  const [sheet, card, content] = ['.sheet', '.card', '.content'].map((one) => page.querySelector(one));
  let posted = 0;
  const follow: FollowHeight = ({ isNewStep }) => {
    // The card grows to fill the sheet; all other elements are as high as their content.
    const height = Math.ceil(heightOf(sheet) - heightOf(card) + heightOf(content));
    if (height === posted && !isNewStep) return;
    posted = height;
    post({ height, isNewStep });
  };
  const observer = new ResizeObserver(() => follow({ isNewStep: false }));
  for (const element of [sheet, content]) if (element) observer.observe(element);
  return follow;
}

function heightOf(element: Element | null | undefined): number {
  return element?.getBoundingClientRect().height ?? 0;
}
