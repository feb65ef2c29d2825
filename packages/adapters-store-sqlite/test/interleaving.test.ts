import { describeLaws, interleavingLaws, replayInterleaving } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { sqliteSubject } from './sqlite-subject.js';
import { runs } from '../../../tests/depth.js';

const runner = { describe, it: (title: string, run: () => Promise<void>) => it(title, run) };

describeLaws([...interleavingLaws, ...replayInterleaving], { ...sqliteSubject, interleavings: runs(8, 40) }, runner);
