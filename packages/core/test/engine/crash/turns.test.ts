import { crashEverywhere } from './crash-everywhere.js';
import { TURNS } from './stories.js';

crashEverywhere(TURNS);
