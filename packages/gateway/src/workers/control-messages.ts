import type { InstanceId } from '@berth/kit';
import type { OutputStream } from '@berth/runtime';
import type {
  InstanceEvent,
  InstanceReport,
  InstanceSource,
  RevisionTarget,
  ServiceLoad,
  ServiceSnapshot,
} from '../port/gateway.ts';
import type { WireError } from './wire-error.ts';

/** A batch of messages from the control plane to the core, sent once per turn of the event loop. */
export type FromControl = readonly ControlMessage[];
/** A batch of messages from the core to the control plane, sent once per turn of the event loop. */
export type ToControl = readonly CoreReport[];

/** A message from the control plane to the core. Calls are numbered by the control plane. */
export type ControlMessage =
  | { readonly kind: 'register'; readonly target: RevisionTarget }
  /** Answered with `done` or `failed` and the same call number, like `remove` and `settle`. */
  | {
      readonly kind: 'activate' | 'release';
      readonly call: number;
      readonly target: RevisionTarget;
      readonly isLazy?: boolean;
    }
  /** Cancels an activation or a release, which is still answered. */
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'remove'; readonly call: number; readonly deployment: string }
  /** Answered with `held` or `failed`. */
  | {
      readonly kind: 'hold';
      readonly call: number;
      readonly deployment: string;
      readonly instance?: string | undefined;
    }
  /** Answered with `held` or `failed`. */
  | { readonly kind: 'startOneOff'; readonly call: number; readonly target: RevisionTarget }
  /** Releases what a `hold` or `startOneOff` of the same call number holds, or will. */
  | { readonly kind: 'letGo'; readonly call: number }
  /** Answered when all workers know the current routes. */
  | { readonly kind: 'settle'; readonly call: number }
  /** Answered with `done` and the instances of a deployment, or of all. */
  | { readonly kind: 'instances'; readonly call: number; readonly deployment: string | undefined }
  /** The control plane has written output; the core may send as many bytes more. */
  | { readonly kind: 'outputTaken'; readonly bytes: number }
  /** The control plane has read records; the core may send as many bytes more. */
  | { readonly kind: 'recordsTaken'; readonly bytes: number };

/** A message from the core to the control plane. */
export type CoreReport =
  /** The states of all deployments have been sent. */
  | { readonly kind: 'ready' }
  /** The current load and route of a deployment. */
  | { readonly kind: 'state'; readonly load: ServiceLoad; readonly snapshot?: ServiceSnapshot }
  /** The deployment was removed. */
  | { readonly kind: 'gone'; readonly deployment: string }
  | { readonly kind: 'progress'; readonly call: number; readonly message: string }
  /** A line of output of a release command. */
  | { readonly kind: 'printed'; readonly call: number; readonly line: string }
  | { readonly kind: 'held'; readonly call: number; readonly instance: InstanceId; readonly revision: string }
  | { readonly kind: 'done'; readonly call: number; readonly instances?: readonly InstanceReport[] }
  | { readonly kind: 'failed'; readonly call: number; readonly error: WireError }
  | { readonly kind: 'instance'; readonly event: InstanceEvent }
  | {
      readonly kind: 'output';
      readonly source: InstanceSource;
      readonly stream: OutputStream;
      readonly chunk: Uint8Array;
    }
  | { readonly kind: 'records'; readonly records: Uint8Array };
