import { crashEverywhere } from './crash-everywhere.js';
import { PURCHASES } from './stories.js';

crashEverywhere(PURCHASES);
