import type { Clock } from '@berth/kit';
import type { Upstream } from '../../port/upstream.ts';
import { type Http1Address, Http1Connection } from './http1-connection.ts';
import { Http1Stream } from './http1-stream.ts';

/** Options of {@link createHttp1Upstream}. */
export type Http1UpstreamOptions = Http1Address & {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Idle timeout of a free connection. The instance's `Keep-Alive` timeout minus one second wins if it is shorter. */
  readonly idleMs: number;
};

/** Safety margin before the announced keep-alive timeout. A request sent just as the instance closes would be lost. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/**
 * Creates an HTTP/1.1 connection pool for an instance, with one connection for each concurrent request. The most recently freed
 * connection is reused first, so that surplus connections time out.
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

  const open = (isForTunnel = false): Http1Connection => {
    const connection = new Http1Connection({ ...connectionOptions, isForTunnel });
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
      if (request.upgrade !== undefined) {
        stream.begin(open(true), request);
        return stream;
      }
      const kept = takeFree();
      if (kept === undefined || !avoidStale) {
        stream.begin(kept ?? open(), request);
      } else {
        // If the instance has already closed the connection, the pending reads of this turn of the event loop report it first.
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
