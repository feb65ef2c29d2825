import { gatePackage } from '../../tsup.base.js';

export default gatePackage({ format: ['esm'] });
