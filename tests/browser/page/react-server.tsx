import { RampCheckout, type RampCheckoutProps } from '@gateramp/sdk-react';
import { renderToString } from 'react-dom/server';

/** Renders the checkout on a server. */
export default (props: RampCheckoutProps): string => renderToString(<RampCheckout {...props} />);
