import type { Capability } from '../runtime.ts';

type Judgment = Pick<Capability, 'status' | 'detail' | 'remedy'>;

/** Returns the part of a capability that this machine enforces. */
export function enforced(detail: string): Judgment {
  return { status: 'enforced', detail };
}

/** Returns the part of a capability that this machine enforces in part. */
export function partial(detail: string, remedy: string): Judgment {
  return { status: 'partial', detail, remedy };
}

/** Returns the part of a capability that this machine lacks. */
export function missing(detail: string, remedy: string): Judgment {
  return { status: 'missing', detail, remedy };
}
