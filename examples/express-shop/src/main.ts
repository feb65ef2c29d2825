import { settingsOf } from './settings.js';
import { openShop } from './shop.js';

const settings = settingsOf(process.env);
await openShop(settings);
console.log(`The shop is open: ${settings.shopUrl}`);
