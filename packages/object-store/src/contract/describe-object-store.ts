import { describe } from 'vitest';
import type { ObjectStore } from '../object-store.ts';
import { describeListing } from './describe-listing.ts';
import { describeObjects } from './describe-objects.ts';
import { describePartialUploads } from './describe-partial-uploads.ts';
import { createStoreFixture, type StoreFixture } from './store-fixture.ts';

export interface ObjectStoreHarness {
  /** A store of the driver; the suite uses volumes of its own in it and closes nothing. */
  open(): Promise<ObjectStore>;
  /** Uploads that go on where they broke off. */
  readonly hasPartialUploads: boolean;
}

/** What every driver of {@link ObjectStore} does. */
export function describeObjectStore(name: string, harness: ObjectStoreHarness): void {
  const open = async (): Promise<StoreFixture> => createStoreFixture(await harness.open());
  describe(`${name}: object store`, () => {
    describeObjects(open);
    describeListing(open);
    if (harness.hasPartialUploads) describePartialUploads(open);
  });
}
