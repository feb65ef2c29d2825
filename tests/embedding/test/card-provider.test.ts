import { describeLaws, providerLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { cardProvider } from '../card-provider.js';
import { cardSubject } from '../card-subject.js';

describeLaws(providerLaws, cardSubject(cardProvider), { describe, it });
