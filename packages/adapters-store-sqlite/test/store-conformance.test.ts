import { describeLaws, storeLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { sqliteSubject } from './sqlite-subject.js';

describeLaws(storeLaws, sqliteSubject, { describe, it });
