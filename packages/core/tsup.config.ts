import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../tools/lib/workspaces.mjs';
import { gatePackage } from '../../tsup.base.js';

export default gatePackage({
  // jose's code is in the CommonJS build, so its licence is too.
  onSuccess: async () => copyFileSync(join(root, 'node_modules/jose/LICENSE.md'), 'dist/LICENSE.jose'),
});
