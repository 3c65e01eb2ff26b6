import type { ObjectStore } from '@berth/object-store';
import type { LogFiles } from '../lines/log-files.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';

/** The steps in which segments change hands. */
export type Step = 'put' | 'change' | 'remove' | 'delete';

/** Where everything stops, as if the machine did: before or after the nth time of a step. */
export interface StopPoint {
  readonly step: Step;
  readonly when: 'before' | 'after';
  readonly count: number;
}

export interface Stops {
  readonly isStopped: boolean;
  files(files: LogFiles): LogFiles;
  objects(store: ObjectStore): ObjectStore;
  catalogue(catalogue: SegmentCatalogue): SegmentCatalogue;
}

/** Ways to the disk, the objects and the catalog that all end at one point: nothing changes any more from then on. */
export function createStops(point: StopPoint): Stops {
  const counts: Record<Step, number> = { put: 0, change: 0, remove: 0, delete: 0 };
  let isStopped = false;

  async function pass<Value>(step: Step, work: () => Promise<Value>): Promise<Value> {
    const isHere = ++counts[step] === point.count && step === point.step;
    if (isHere && point.when === 'before') isStopped = true;
    if (isStopped) throw new Error('stopped');
    const value = await work();
    if (isHere) isStopped = true;
    if (isStopped) throw new Error('stopped');
    return value;
  }

  return {
    get isStopped() {
      return isStopped;
    },
    files: (files) => ({ ...files, remove: (path) => pass('remove', () => files.remove(path)) }),
    objects: (store) => ({
      ...store,
      put: (...given) => pass('put', () => store.put(...given)),
      delete: (...given) => pass('delete', () => store.delete(...given)),
    }),
    catalogue: (catalogue) => ({
      ...catalogue,
      change: (...given) => pass('change', () => catalogue.change(...given)),
    }),
  };
}
