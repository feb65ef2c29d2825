import { shop } from './shop.mjs';

const world = JSON.parse(Bun.env.SHOP);
Bun.serve({ hostname: '127.0.0.1', port: world.port, fetch: shop(world) });
console.log('open');
