import { crashTrades } from './crash-trades.js';

crashTrades();
