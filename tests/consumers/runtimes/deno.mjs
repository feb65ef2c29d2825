import { shop } from './shop.mjs';

const world = JSON.parse(Deno.env.get('SHOP'));
Deno.serve({ hostname: '127.0.0.1', port: world.port, onListen: () => console.log('open') }, shop(world));
