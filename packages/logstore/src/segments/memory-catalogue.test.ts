import { describeSegmentCatalogue } from '../contract/index.ts';
import { createMemoryCatalogue } from '../testing/memory-catalogue.ts';

describeSegmentCatalogue('in memory', async () => ({ catalogue: createMemoryCatalogue(), close: async () => {} }));
