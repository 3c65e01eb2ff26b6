import type { Clock } from '@berth/kit';
import type { Upstream } from '../../port/upstream.ts';
import { type Http1Address, Http1Connection } from './http1-connection.ts';
import { Http1Stream } from './http1-stream.ts';

/** Where the instance is, and how its connections are kept. */
export type Http1UpstreamOptions = Http1Address & {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** A free connection is kept this long, or a second less than the instance says it keeps it. */
  readonly idleMs: number;
};

/** The instance may close at the very end of the time it announces: a request sent then would be lost. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/**
 * Speaks HTTP/1.1 to an instance, over as many connections as it has requests at once. The last one that came free is used first, so
 * that the others can time out.
 */
export function createHttp1Upstream(options: Http1UpstreamOptions): Upstream {
  const { clock } = options;
  const all = new Set<Http1Connection>();
  const free: Http1Connection[] = [];

  const connectionOptions = {
    ...options,
    onFree(connection: Http1Connection) {
      if (connection.isGone) return;
      connection.freeSinceMs = clock.monotonicMs();
      free.push(connection);
    },
    onGone(connection: Http1Connection) {
      all.delete(connection);
      const index = free.indexOf(connection);
      if (index >= 0) free.splice(index, 1);
    },
  };

  const open = (): Http1Connection => {
    const connection = new Http1Connection(connectionOptions);
    all.add(connection);
    return connection;
  };

  const isStale = (connection: Http1Connection): boolean => {
    const { keepAliveSeconds } = connection;
    const announcedMs =
      keepAliveSeconds === undefined ? Number.POSITIVE_INFINITY : keepAliveSeconds * 1_000 - KEEP_ALIVE_MARGIN_MS;
    return clock.monotonicMs() - connection.freeSinceMs >= Math.min(options.idleMs, announcedMs);
  };

  const takeFree = (): Http1Connection | undefined => {
    for (let connection = free.pop(); connection !== undefined; connection = free.pop()) {
      if (!isStale(connection)) return connection;
      connection.destroy();
    }
    return undefined;
  };

  return {
    open(request, handler, avoidStale) {
      const stream = new Http1Stream(handler);
      const kept = takeFree();
      if (kept === undefined || !avoidStale) {
        stream.begin(kept ?? open(), request);
      } else {
        // When the instance has closed it already, this turn of the event loop says so.
        setImmediate(() => {
          if (!stream.isWanted) connectionOptions.onFree(kept);
          else stream.begin(kept.isGone ? open() : kept, request);
        });
      }
      return stream;
    },
    prune(everyone = false) {
      for (const connection of [...free]) if (everyone || isStale(connection)) connection.destroy();
    },
    destroy() {
      for (const connection of [...all]) connection.breakOff();
    },
  };
}
