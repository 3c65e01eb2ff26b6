import type { OutputStream } from '@berth/runtime';
import type { InstanceEvent, InstanceSource, RevisionTarget, ServiceLoad, ServiceSnapshot } from '../port/gateway.ts';
import type { WireError } from './wire-error.ts';

/** What the control plane and the core say to each other; the batches of one turn of the event loop go in one message. */
export type FromControl = readonly ControlMessage[];
export type ToControl = readonly CoreReport[];

export type ControlMessage =
  | { readonly kind: 'register'; readonly target: RevisionTarget }
  /** Answered by `done` or `failed` with the same number, as `remove` and `settle` are. */
  | { readonly kind: 'activate' | 'release'; readonly call: number; readonly target: RevisionTarget }
  /** Ends an activation or a release; it is answered all the same. */
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'remove'; readonly call: number; readonly deployment: string }
  /** Answered when all workers know the routes there are by then. */
  | { readonly kind: 'settle'; readonly call: number }
  /** An output was written: there is room for as many bytes more. */
  | { readonly kind: 'outputTaken'; readonly bytes: number }
  /** Records were read: there is room for as many bytes more. */
  | { readonly kind: 'recordsTaken'; readonly bytes: number };

export type CoreReport =
  /** All states there are have been sent. */
  | { readonly kind: 'ready' }
  /** What a deployment has now. */
  | { readonly kind: 'state'; readonly load: ServiceLoad; readonly snapshot?: ServiceSnapshot }
  /** The deployment is gone. */
  | { readonly kind: 'gone'; readonly deployment: string }
  | { readonly kind: 'progress'; readonly call: number; readonly message: string }
  /** A line that a release command printed. */
  | { readonly kind: 'printed'; readonly call: number; readonly line: string }
  | { readonly kind: 'done'; readonly call: number }
  | { readonly kind: 'failed'; readonly call: number; readonly error: WireError }
  | { readonly kind: 'instance'; readonly event: InstanceEvent }
  | {
      readonly kind: 'output';
      readonly source: InstanceSource;
      readonly stream: OutputStream;
      readonly chunk: Uint8Array;
    }
  | { readonly kind: 'records'; readonly records: Uint8Array };
