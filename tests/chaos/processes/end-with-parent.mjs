/**
 * JavaScript, as Node loads it by itself: preloaded into servers (`node --import`): one whose starter is gone, however
 * it went, ends too.
 */
process.stdin.on('end', () => process.exit(1)).on('error', () => process.exit(1));
process.stdin.resume();
process.stdin.unref?.();
