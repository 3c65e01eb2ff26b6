import { Untranslatable } from './sql-error.ts';
import { isNode } from './sql-tree.ts';

/** Refuses a construct, at the position of the first of these nodes that has one. */
export function untranslatable(message: string, ...nodes: readonly unknown[]): Untranslatable {
  const locations = nodes.map((node) => (isNode(node) ? node['query_location'] : undefined));
  const place = locations.find((location) => typeof location === 'number' && location > 0);
  return new Untranslatable(message, place as number | undefined);
}
