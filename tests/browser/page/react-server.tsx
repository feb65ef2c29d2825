import { RampCheckout, type RampCheckoutProps } from '@gateramp/sdk-react';
import { renderToString } from 'react-dom/server';

/** What a server makes of the checkout. */
export default (props: RampCheckoutProps): string => renderToString(<RampCheckout {...props} />);
