import { createDeferred, type Deferred, type Logger } from '@berth/kit';
import type { GatewayEvents, InstanceSource } from '../port/gateway.ts';
import type { CoreReport } from './control-messages.ts';

/** What an event relay is made of. */
export interface EventRelayOptions {
  readonly logger: Logger;
  /** What is kept while nobody listens, and of records what is under way while somebody does; 8 MiB by default. */
  readonly keptBytesMax?: number;
}

/** What is under way to the listener, and not written there, before instances have to wait. */
const WINDOW_BYTES = 256 * 1024;
const KEPT_BYTES_MAX = 8 * 2 ** 20;
/** What an event takes, by estimate. */
const EVENT_BYTES = 512;

type Relayed = Extract<CoreReport, { kind: 'instance' | 'output' | 'records' }>;

/** Where events go while the control plane is there. */
export interface RelayConnection {
  /** So many bytes of output are written. */
  taken(bytes: number): void;
  /** So many bytes of records are read. */
  recordsTaken(bytes: number): void;
  /** Nobody listens any more. */
  end(): void;
}

/**
 * What the core tells the control plane of, kept for a while when that is away. R1: order is kept. R2: while somebody listens, an
 * instance's pipe waits until its output is written; while nobody does, it never waits. R3: what is kept is bounded: the oldest output
 * and records are dropped first, what happened to instances never before them; dropped output is said in the output itself. R4: what is
 * under way is bounded too: records that come faster than the listener reads them are dropped and counted, for nothing can wait for it.
 */
export interface EventRelay {
  readonly events: GatewayEvents;
  onRecords(records: Uint8Array, count: number): void;
  /** Hands over what was kept, then all that comes. One listener at a time. */
  connect(send: (report: Relayed) => void): RelayConnection;
}

export function createEventRelay({ logger, keptBytesMax = KEPT_BYTES_MAX }: EventRelayOptions): EventRelay {
  let kept: { readonly report: Relayed; readonly bytes: number; readonly count: number }[] = [];
  let keptBytes = 0;
  let droppedRecords = 0;
  const droppedOutput = new Map<string, { readonly source: InstanceSource; bytes: number }>();
  let send: ((report: Relayed) => void) | undefined;
  let untakenBytes = 0;
  let untakenRecordBytes = 0;
  let capacity: Deferred<void> | undefined;

  const noteDropped = (report: Relayed, count: number) => {
    if (report.kind === 'records') droppedRecords += count;
    if (report.kind !== 'output') return;
    const dropped = droppedOutput.get(report.source.instance) ?? { source: report.source, bytes: 0 };
    dropped.bytes += report.chunk.length;
    droppedOutput.set(report.source.instance, dropped);
  };

  const keep = (report: Relayed, bytes: number, count: number) => {
    kept.push({ report, bytes, count });
    keptBytes += bytes;
    if (keptBytes <= keptBytesMax) return;
    // A part at once, so that a full buffer is not gone through for every line; events only when they alone are too much.
    const keptBytesAim = keptBytesMax * 0.9;
    for (const mayDrop of [(one: Relayed) => one.kind !== 'instance', () => true]) {
      kept = kept.filter((one) => {
        if (keptBytes <= keptBytesAim || !mayDrop(one.report)) return true;
        keptBytes -= one.bytes;
        noteDropped(one.report, one.count);
        return false;
      });
    }
  };

  const pass = (report: Relayed, bytes: number, count = 0) => {
    if (send === undefined) keep(report, bytes, count);
    else send(report);
  };
  const sayLostRecords = (why: string) => {
    if (droppedRecords > 0) logger.warn({ requests: droppedRecords }, `request log entries were lost ${why}`);
    droppedRecords = 0;
  };

  return {
    events: {
      onRequest() {
        throw new Error('requests end in workers');
      },
      onInstance: (event) => pass({ kind: 'instance', event }, EVENT_BYTES),
      onOutput(source, stream, chunk) {
        pass({ kind: 'output', source, stream, chunk }, EVENT_BYTES + chunk.length);
        if (send === undefined) return undefined;
        untakenBytes += chunk.length;
        if (untakenBytes < WINDOW_BYTES) return undefined;
        capacity ??= createDeferred();
        return capacity.promise;
      },
    },
    onRecords(records, count) {
      if (send !== undefined && untakenRecordBytes + records.length > keptBytesMax) {
        droppedRecords += count;
        return;
      }
      if (send !== undefined) untakenRecordBytes += records.length;
      pass({ kind: 'records', records }, EVENT_BYTES + records.length, count);
    },
    connect(given) {
      send = given;
      untakenBytes = 0;
      untakenRecordBytes = 0;
      sayLostRecords('while the control plane was away');
      for (const { source, bytes } of droppedOutput.values()) given(lossOf(source, bytes));
      droppedOutput.clear();
      const before = kept;
      kept = [];
      keptBytes = 0;
      for (const { report } of before) {
        if (report.kind === 'output') untakenBytes += report.chunk.length;
        else if (report.kind === 'records') untakenRecordBytes += report.records.length;
        given(report);
      }
      const wake = () => {
        capacity?.resolve();
        capacity = undefined;
      };
      return {
        taken(bytes) {
          if (send !== given) return;
          untakenBytes = Math.max(0, untakenBytes - bytes);
          if (untakenBytes < WINDOW_BYTES) wake();
        },
        recordsTaken(bytes) {
          if (send !== given) return;
          untakenRecordBytes = Math.max(0, untakenRecordBytes - bytes);
          // Said when it is over, not for each of them.
          if (untakenRecordBytes === 0) sayLostRecords('because they came faster than they can be written');
        },
        end() {
          if (send !== given) return;
          send = undefined;
          wake();
        },
      };
    },
  };
}

/** The line that stands where output is missing. */
function lossOf(source: InstanceSource, bytes: number): Relayed {
  const line = `berth: ${bytes} bytes of output are missing here: they came while the log could not be written\n`;
  return { kind: 'output', source, stream: 'stderr', chunk: Buffer.from(line) };
}
