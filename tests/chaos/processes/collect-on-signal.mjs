import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * JavaScript, as Node loads it by itself: preloaded into servers (`node --import`): at SIGWINCH it collects its garbage,
 * so that what it holds on to can be distinguished from what V8 has not tidied yet. It says so on stdout, however late the
 * signal is handled.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGWINCH', () => {
  collect();
  process.stdout.write('collected\n');
});
