import type { LogPlace, ParquetSegment } from '../ports/segment.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';

/** A catalog in memory; it passes the port's contract suite. */
export function createMemoryCatalogue(): SegmentCatalogue {
  const logs = new Map<string, { readonly place: LogPlace; readonly segments: Map<string, ParquetSegment> }>();
  const logOf = ({ account, deployment }: LogPlace) => {
    const name = JSON.stringify([account, deployment]);
    const log = logs.get(name) ?? { place: { account, deployment }, segments: new Map<string, ParquetSegment>() };
    logs.set(name, log);
    return log;
  };
  const sorted = (segments: Map<string, ParquetSegment>) =>
    [...segments.values()].sort((one, other) => (one.startsAt < other.startsAt ? -1 : 1));
  return {
    list: async (place) => sorted(logOf(place).segments),
    deployments: async (account) =>
      [...logs.values()]
        .filter(({ place, segments }) => place.account === account && segments.size > 0)
        .map(({ place }) => place.deployment)
        .sort(),
    async change(place, { add, remove }) {
      const { segments } = logOf(place);
      const after = new Map(segments);
      for (const key of remove) after.delete(key);
      for (const segment of add) {
        if (after.has(segment.key)) throw new Error(`the segment ${segment.key} is there`);
        after.set(segment.key, segment);
      }
      segments.clear();
      for (const [key, segment] of after) segments.set(key, segment);
    },
    oldest: async () =>
      [...logs.values()].flatMap(({ place, segments }) => {
        const ends = [...segments.values()].map((segment) => segment.endsAt).sort();
        return ends[0] === undefined ? [] : [{ place, endsAt: ends[0] }];
      }),
  };
}
