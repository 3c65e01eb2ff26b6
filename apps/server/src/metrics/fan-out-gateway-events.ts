import type { GatewayEvents } from '@berth/gateway';

/** What hears of requests and instances, and of no output. */
export type GatewayListener = Pick<GatewayEvents, 'onRequest' | 'onInstance'>;

/**
 * Tells the log all, and the listeners after it, in their order, of requests and instances. Output is the log's alone: it
 * is its back-pressure that the gateway waits for.
 */
export function fanOutGatewayEvents(log: GatewayEvents, listeners: readonly Partial<GatewayListener>[]): GatewayEvents {
  if (listeners.length === 0) return log;
  return {
    onRequest(record) {
      log.onRequest(record);
      for (const listener of listeners) listener.onRequest?.(record);
    },
    onInstance(event) {
      log.onInstance(event);
      for (const listener of listeners) listener.onInstance?.(event);
    },
    onOutput: (source, stream, chunk) => log.onOutput(source, stream, chunk),
  };
}
