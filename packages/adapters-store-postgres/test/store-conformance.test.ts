import { describeConformance } from './describe-conformance.js';

describeConformance({ stock: false });
