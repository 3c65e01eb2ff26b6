import type { Logger } from '@berth/kit';
import type { GatewayEvents, InstanceSource } from '../port/gateway.ts';
import type { CoreReport } from './control-messages.ts';

/** Options of {@link createEventRelay}. */
export interface EventRelayOptions {
  readonly logger: Logger;
  /** Maximum bytes buffered without a listener, and maximum bytes of unread records with one; 8 MiB by default. */
  readonly keptBytesMax?: number;
}

/** Unwritten output bytes above which instances wait. */
const WINDOW_BYTES = 256 * 1024;
const KEPT_BYTES_MAX = 8 * 2 ** 20;
/** Estimated memory of one event. */
const EVENT_BYTES = 512;

type Relayed = Extract<CoreReport, { kind: 'instance' | 'output' | 'records' }>;

/** A connection of the control plane to the relay. */
export interface RelayConnection {
  /** Reports that the listener has written this many bytes of output. */
  taken(bytes: number): void;
  /** Reports that the listener has read this many bytes of records. */
  recordsTaken(bytes: number): void;
  /** Disconnects the listener; events are buffered from then on. */
  end(): void;
}

/**
 * A relay of the core's events to the control plane, which buffers them while the control plane is disconnected. R1: order is kept.
 * R2: with a listener, an instance's output waits until earlier output is written; without one, output never waits. R3: the buffer is
 * bounded. The oldest output and records are dropped first, and instance events only when no output or records are left; a line in the
 * output says how much was dropped. R4: unread records are bounded too. Records that come faster than the listener reads them are
 * dropped and counted, because requests cannot wait for it.
 */
export type EventRelay = ReturnType<typeof createEventRelay>;

/** Creates a relay without a listener. */
export function createEventRelay({ logger, keptBytesMax = KEPT_BYTES_MAX }: EventRelayOptions) {
  let kept: { readonly report: Relayed; readonly bytes: number; readonly count: number }[] = [];
  let keptBytes = 0;
  let droppedRecords = 0;
  const droppedOutput = new Map<string, { readonly source: InstanceSource; bytes: number }>();
  let send: ((report: Relayed) => void) | undefined;
  let untakenBytes = 0;
  let untakenRecordBytes = 0;
  let capacity: PromiseWithResolvers<void> | undefined;

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
    // Dropping a tenth at once avoids a scan of the full buffer for every line. Instance events are dropped only when they alone exceed it.
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

  const events: GatewayEvents = {
    onRequest() {
      throw new Error('requests end in workers');
    },
    onInstance: (event) => pass({ kind: 'instance', event }, EVENT_BYTES),
    onOutput(source, stream, chunk) {
      pass({ kind: 'output', source, stream, chunk }, EVENT_BYTES + chunk.length);
      if (send === undefined) return undefined;
      untakenBytes += chunk.length;
      if (untakenBytes < WINDOW_BYTES) return undefined;
      capacity ??= Promise.withResolvers<void>();
      return capacity.promise;
    },
  };

  return {
    events,
    /** Takes `count` encoded records of requests. */
    onRecords(records: Uint8Array, count: number): void {
      if (send !== undefined && untakenRecordBytes + records.length > keptBytesMax) {
        droppedRecords += count;
        return;
      }
      if (send !== undefined) untakenRecordBytes += records.length;
      pass({ kind: 'records', records }, EVENT_BYTES + records.length, count);
    },
    /** Sends the buffered events to `send`, then every new one. One listener at a time. */
    connect(given: (report: Relayed) => void): RelayConnection {
      send = given;
      untakenBytes = 0;
      untakenRecordBytes = 0;
      sayLostRecords('while the control plane was not running');
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
          // One warning once the listener has caught up, instead of one for each batch.
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

/** Returns the output line that reports dropped output. */
function lossOf(source: InstanceSource, bytes: number): Relayed {
  const line = `berth: ${bytes} bytes of output are missing: the log could not be written\n`;
  return { kind: 'output', source, stream: 'stderr', chunk: Buffer.from(line) };
}
