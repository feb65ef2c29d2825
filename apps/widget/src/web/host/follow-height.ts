interface Resize {
  readonly height: number;
  readonly isNewStep: boolean;
}

/**
 * Posts the height that the checkout needs whenever that changes, whatever height its frame has. What is returned posts it for a new step,
 * also when it is the same.
 */
export function followHeight(page: ParentNode, post: (resize: Resize) => void): (isNewStep: boolean) => void {
  const [sheet, card, content] = ['.sheet', '.card', '.content'].map((one) => page.querySelector(one));
  let posted = 0;
  const follow = (isNewStep: boolean): void => {
    // The card takes what room there is; everything else is as high as its content.
    const height = Math.ceil(heightOf(sheet) - heightOf(card) + heightOf(content));
    if (height === posted && !isNewStep) return;
    posted = height;
    post({ height, isNewStep });
  };
  const observer = new ResizeObserver(() => follow(false));
  for (const element of [sheet, content]) if (element) observer.observe(element);
  return follow;
}

function heightOf(element: Element | null | undefined): number {
  return element?.getBoundingClientRect().height ?? 0;
}
