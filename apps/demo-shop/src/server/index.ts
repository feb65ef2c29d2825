/** The demo shop: a partner's server and page, which use the service through its SDKs and HTTP only. */
export { demoShop, type DemoShop, type DemoShopOptions } from './demo-shop.js';
