import { openDatabase } from '@berth/database';
import { describeSegmentCatalogue } from '@berth/logstore/contract';
import { createSegmentCatalogue } from './create-segment-catalogue.ts';

describeSegmentCatalogue('in the database', async () => {
  const { db, close } = await openDatabase({ file: ':memory:' });
  return { catalogue: createSegmentCatalogue(db), close };
});
