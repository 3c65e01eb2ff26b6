import { describeSegmentCatalogue } from '../contract/index.ts';
import { createMemoryCatalogue } from './memory-catalogue.ts';

describeSegmentCatalogue('in memory', async () => ({ catalogue: createMemoryCatalogue(), close: async () => {} }));
