import type { AccountSource } from '@berth/accounts';
import { createError, LIMITS, type TcpServerMessage } from '@berth/contract';
import type { GatewayControl, HeldInstance } from '@berth/gateway';
import type { MessageSocket } from '@berth/http';
import { BerthError, describeError } from '@berth/kit';
import type { InstanceConnection, Runtime } from '@berth/runtime';
import type { ControlContext } from '../context/control-context.ts';
import { createPlaces } from './create-places.ts';

/** Options of {@link createTunnels}. */
export interface TunnelsOptions extends Pick<ControlContext, 'audit' | 'clock' | 'ids' | 'logger'> {
  readonly gateway: Pick<GatewayControl, 'hold'>;
  readonly runtime: Pick<Runtime, 'connect'>;
}

/** The port that a client connects to, and who it is. */
export interface TunnelRequest {
  readonly source: AccountSource;
  readonly deployment: string;
  readonly port: number;
  readonly instance?: string | undefined;
}

/** The connections of clients to ports of instances. */
export type Tunnels = ReturnType<typeof createTunnels>;

const CLOSE = { normal: 1_000, restart: 1_012 } as const;

/**
 * Creates what connects clients to ports of instances. Invariants:
 * T1: A connection whose start isn't in the audit log isn't made. Neither record has any data.
 * T2: A connection ends when its client has gone, after the idle limit, and when this process closes.
 * T3: Neither side is read faster than the other one takes it. Each direction ends by itself.
 */
export function createTunnels({ gateway, runtime, audit, clock, ids, logger }: TunnelsOptions) {
  const take = createPlaces({ most: LIMITS.tcpConnections, what: 'connections to ports', clock, logger });
  const running = new Set<(error: BerthError) => void>();
  let isClosed = false;

  const run = async ({ source, deployment, port, instance }: TunnelRequest, socket: MessageSocket): Promise<void> => {
    const over = new AbortController();
    const end = (error: BerthError): void => over.abort(error);
    const ended = Promise.withResolvers<never>();
    const ready = Promise.withResolvers<InstanceConnection>();
    const opened = Promise.withResolvers<void>();
    for (const { promise } of [ended, ready]) promise.catch(() => {});
    over.signal.addEventListener('abort', () => {
      ended.reject(over.signal.reason);
      ready.reject(over.signal.reason);
    });
    const say = (message: TcpServerMessage) => socket.send(JSON.stringify(message));
    const bytes = { sent: 0, received: 0 };
    let isGone = false;
    let usedAtMs = clock.monotonicMs();
    socket.onClose(() => {
      isGone = true;
      end(createError('cancelled', 'The client has gone.'));
    });
    socket.onMessage(async (data) => {
      usedAtMs = clock.monotonicMs();
      const connection = await ready.promise.catch(() => undefined);
      if (typeof data !== 'string') {
        bytes.received += data.length;
        await connection?.write(data);
      } else if (isEnd(data)) connection?.end();
      else end(createError('invalid', 'A message is not one of the protocol berth.tcp.v1.'));
    });
    running.add(end);
    const watch = (): void => {
      const idleMs = clock.monotonicMs() - usedAtMs;
      if (idleMs >= LIMITS.execIdleMs) end(createError('cancelled', 'Nothing was sent for too long.'));
      else idle = clock.setTimer(LIMITS.execIdleMs - idleMs, watch);
    };
    let idle = clock.setTimer(LIMITS.execIdleMs, watch);
    let held: HeldInstance | undefined;
    try {
      held = await gateway.hold(deployment, { instance, signal: over.signal });
      const place = { instance: held.instance, revision: held.revision };
      const details = { id: ids.next('proxy'), ...place, port };
      await audit.record({ ...source, action: 'proxy.start', target: deployment, details });
      const beganAtMs = clock.monotonicMs();
      let outcome: object = {};
      let connection: InstanceConnection | undefined;
      try {
        connection = await runtime.connect({ account: source.accountId, deployment }, held.instance, {
          port,
          async output(chunk) {
            await opened.promise;
            usedAtMs = clock.monotonicMs();
            bytes.sent += chunk.length;
            await socket.send(chunk);
          },
          onEnd: () => void opened.promise.then(() => say({ type: 'end' })),
        });
        await say({ type: 'open', ...place });
        opened.resolve();
        ready.resolve(connection);
        await Promise.race([connection.closed, ended.promise]);
      } catch (error) {
        outcome = { error: BerthError.is(error) ? error.code : 'internal' };
        throw error;
      } finally {
        connection?.destroy();
        const ending = { ...outcome, bytes_sent: bytes.sent, bytes_received: bytes.received };
        const durationMs = Math.round(clock.monotonicMs() - beganAtMs);
        const record = { ...source, action: 'proxy.end', target: deployment } as const;
        await audit.record({ ...record, details: { ...details, ...ending, duration_ms: durationMs } });
      }
    } catch (error) {
      if (!isGone) await say({ type: 'error', ...describe(error) });
    } finally {
      ready.reject(createError('cancelled', 'The connection has ended.'));
      held?.release();
      idle.cancel();
      running.delete(end);
      socket.close(isClosed ? CLOSE.restart : CLOSE.normal, '');
    }
  };

  const describe = (error: unknown) => {
    if (BerthError.is(error)) return { code: error.code, message: error.message };
    logger.error({ error: describeError(error) }, 'a connection to a port failed');
    return { code: 'internal', message: 'Internal error. See the log of the server.' };
  };

  return {
    /**
     * Takes a place of the account for one connection. Returns what runs it on a WebSocket.
     * @throws BerthError `too_many_requests`, `unavailable`
     */
    reserve(request: TunnelRequest): (socket: MessageSocket) => void {
      if (isClosed) throw createError('unavailable', 'Berth is shutting down.');
      return take(request.source.accountId, (socket) => run(request, socket));
    },
    /** Ends all connections. */
    close(): void {
      isClosed = true;
      for (const end of running) end(createError('unavailable', 'The server is restarting. Connect again.'));
    },
  };
}

function isEnd(text: string): boolean {
  try {
    return (JSON.parse(text) as { readonly type?: unknown } | null)?.type === 'end';
  } catch {
    return false;
  }
}
