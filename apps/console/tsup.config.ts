import { gatePackage } from '../../tsup.base.js';

/** It finds its page by its own place, for which CommonJS has another name. */
export default gatePackage({ shims: true });
