import { describeLaws, sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { sqliteSubject } from './sqlite-subject.js';

describeLaws([...storeLaws, ...sandboxStoreLaws], sqliteSubject, { describe, it });
