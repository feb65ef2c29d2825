import { shop } from './shop.mjs';

// What serves this script puts its settings where the script finds them: an edge runtime has no process to ask.
const answer = shop(globalThis.SHOP);
addEventListener('fetch', (event) => event.respondWith(answer(event.request)));
