import { RampCheckout } from '@gateramp/sdk-react';
import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** The checkout, or why there is none: nothing answers at this address. */
function Shop() {
  const [said, setSaid] = useState('nothing yet');
  const checkout = createElement(RampCheckout, {
    publishableKey: 'pk_test_consumer',
    clientSecret: `gsec_${'0'.repeat(24)}_consumer`,
    apiBaseUrl: `${location.origin}/nowhere`,
    onMountError: ({ name }) => setSaid(name),
  });
  return createElement('main', null, createElement('p', null, `The checkout says: ${said}`), checkout);
}

createRoot(document.getElementById('root')).render(createElement(StrictMode, null, createElement(Shop)));
