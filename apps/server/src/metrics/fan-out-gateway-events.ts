import type { GatewayEvents } from '@berth/gateway';

/** Receives events of requests and instances, but no output. */
export type GatewayListener = Pick<GatewayEvents, 'onRequest' | 'onInstance'>;

/**
 * Sends every event to the log, and then events of requests and instances to the listeners in order. Output goes only to the log, whose
 * back-pressure the gateway obeys.
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
