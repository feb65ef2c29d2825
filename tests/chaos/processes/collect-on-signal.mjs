import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * JavaScript, as Node loads it by itself: preloaded into servers (`node --import`): at SIGWINCH it collects its garbage,
 * so that what it holds on to can be distinguished from what V8 has not tidied yet.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGWINCH', () => collect());
