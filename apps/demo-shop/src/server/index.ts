/** The demo shop as its host serves it: a partner's server and page, which know the service by its SDKs and HTTP alone. */
export { demoShop, type DemoShop, type DemoShopOptions } from './demo-shop.js';
