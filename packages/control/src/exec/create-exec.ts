import type { AccountSource } from '@berth/accounts';
import { createError, EXEC_STREAMS, type ExecClientMessage, execClientMessageSchema, LIMITS } from '@berth/contract';
import type { GatewayControl, HeldInstance, RevisionTarget } from '@berth/gateway';
import type { MessageSocket } from '@berth/http';
import { BerthError, describeError } from '@berth/kit';
import type { ExecExit, ExecProcess, ExecSpec, OutputSink, Runtime } from '@berth/runtime';
import type { ControlContext } from '../context/control-context.ts';
import { createPlaces } from './create-places.ts';

/** Options of {@link createExec}. */
export interface ExecOptions extends Pick<ControlContext, 'audit' | 'clock' | 'ids' | 'logger'> {
  readonly gateway: Pick<GatewayControl, 'hold' | 'startOneOff'>;
  readonly runtime: Pick<Runtime, 'exec'>;
}

/** The service that a command runs in, and who runs it. */
export interface ExecRequest {
  readonly source: AccountSource;
  readonly deployment: string;
  /** Id of a running instance; any by default. */
  readonly instance?: string | undefined;
  /** The revision of a new instance for this command alone. */
  readonly target?: RevisionTarget;
}

/** The commands that clients run in services. */
export type Exec = ReturnType<typeof createExec>;

type StartMessage = Extract<ExecClientMessage, { type: 'start' }>;
/** Messages that steer a running command. */
type Steer = Extract<ExecClientMessage, { type: 'resize' | 'signal' | 'end' }>;

/** Time in which a client sends its first message. */
const START_MS = 10_000;
/** Time from the hangup to the end of a command whose client has left. */
const HANGUP_MS = 1_000;
const CLOSE = { normal: 1_000, restart: 1_012 } as const;
/** A command in the audit log has at most this many characters. */
const AUDIT_CHARACTERS = 1_000;

/**
 * Creates what runs commands in services. Invariants:
 * E1: A command whose start isn't in the audit log doesn't run. Neither record has input, output or the environment.
 * E2: A command ends when its client has gone, after the idle limit, and when this process closes.
 * E3: Input isn't read faster than the command takes it, and output not faster than the client does, or while it has paused it.
 */
export function createExec({ gateway, runtime, audit, clock, ids, logger }: ExecOptions) {
  const take = createPlaces({ most: LIMITS.execSessions, what: 'commands', clock, logger });
  const running = new Set<(error: BerthError) => void>();
  let isClosed = false;

  const run = async (request: ExecRequest, socket: MessageSocket): Promise<void> => {
    const { source, deployment, instance: wanted, target } = request;
    const kind = target ? 'run' : 'exec';
    const owner = { account: source.accountId, deployment };
    const over = new AbortController();
    const end = (error: BerthError): void => over.abort(error);
    const started = Promise.withResolvers<StartMessage>();
    const ready = Promise.withResolvers<ExecProcess>();
    for (const { promise } of [started, ready]) promise.catch(() => {});
    let command: ExecProcess | undefined;
    let paused: PromiseWithResolvers<void> | undefined;
    let isGone = false;
    let usedAtMs = clock.monotonicMs();
    const resume = (): void => {
      paused?.resolve();
      paused = undefined;
    };
    socket.onClose(() => {
      isGone = true;
      end(createError('cancelled', 'The client has gone.'));
    });
    socket.onMessage(async (data) => {
      usedAtMs = clock.monotonicMs();
      const message = typeof data === 'string' ? parseMessage(data) : undefined;
      if (typeof data !== 'string') {
        // What a client sends before its command runs waits for it.
        await ready.promise.then((one) => one.write(data)).catch(() => {});
        return;
      }
      if (!message) end(createError('invalid', 'A message is not one of the protocol berth.exec.v1.'));
      else if (message.type === 'start') started.resolve(message);
      else if (message.type === 'pause') paused ??= Promise.withResolvers();
      else if (message.type === 'resume') resume();
      else await ready.promise.then((one) => apply(one, message)).catch(() => {});
    });
    running.add(end);
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    const fail = (): void => {
      ended.reject(over.signal.reason);
      ready.reject(over.signal.reason);
      // The command has ended when all of its output was delivered.
      resume();
    };
    over.signal.addEventListener('abort', fail, { once: true });
    const late = clock.setTimer(START_MS, () => end(createError('invalid', 'No start message came.')));
    const watch = (): void => {
      const idleMs = clock.monotonicMs() - usedAtMs;
      if (idleMs >= LIMITS.execIdleMs) end(createError('cancelled', 'There was no input or output for too long.'));
      else idle = clock.setTimer(LIMITS.execIdleMs - idleMs, watch);
    };
    let idle = clock.setTimer(LIMITS.execIdleMs, watch);
    let held: HeldInstance | undefined;
    const output: OutputSink = async (stream, chunk) => {
      usedAtMs = clock.monotonicMs();
      await paused?.promise;
      return socket.send(Buffer.concat([Buffer.from([EXEC_STREAMS[stream]]), chunk]));
    };
    try {
      const message = await Promise.race([started.promise, ended.promise]);
      late.cancel();
      held = target
        ? await gateway.startOneOff(target, { signal: over.signal })
        : await gateway.hold(deployment, { instance: wanted, signal: over.signal });
      const { instance, revision } = held;
      const id = ids.next('exec');
      const spec = { command: message.command, ...(message.terminal && { terminal: message.terminal }), output };
      const details = { id, instance, revision };
      const shown = message.command.join(' ').slice(0, AUDIT_CHARACTERS);
      await audit.record({
        ...{ ...source, action: `${kind}.start`, target: deployment },
        details: { ...details, command: shown, terminal: message.terminal !== undefined },
      });
      const beganAtMs = clock.monotonicMs();
      let outcome: Readonly<Record<string, unknown>> = { error: 'internal' };
      try {
        await socket.send(JSON.stringify({ type: 'started', instance, revision }));
        command = await runtime.exec(owner, instance, spec as ExecSpec);
        ready.resolve(command);
        const exit = await Promise.race([command.exited, ended.promise]);
        outcome = { exit_code: exit.exitCode, signal: exit.signal };
        await socket.send(JSON.stringify({ type: 'exit', ...outcome }));
      } catch (error) {
        if (command) await hangUp(command);
        outcome = { error: BerthError.is(error) ? error.code : 'internal' };
        throw error;
      } finally {
        const durationMs = Math.round(clock.monotonicMs() - beganAtMs);
        const record = { ...source, action: `${kind}.end`, target: deployment } as const;
        await audit.record({ ...record, details: { ...details, ...outcome, duration_ms: durationMs } });
      }
    } catch (error) {
      if (!isGone) await socket.send(JSON.stringify({ type: 'error', ...describe(error) }));
    } finally {
      ready.reject(createError('cancelled', 'The command has ended.'));
      held?.release();
      late.cancel();
      idle.cancel();
      running.delete(end);
      socket.close(isClosed ? CLOSE.restart : CLOSE.normal, '');
    }
  };

  /** Tells a command that its terminal is gone, and ends what doesn't care. */
  const hangUp = async (command: ExecProcess): Promise<ExecExit> => {
    command.signal('SIGHUP');
    const timer = new AbortController();
    await Promise.race([command.exited, clock.sleep(HANGUP_MS, timer.signal).catch(() => {})]);
    timer.abort();
    return command.kill();
  };

  const describe = (error: unknown) => {
    if (BerthError.is(error)) return { code: error.code, message: error.message };
    logger.error({ error: describeError(error) }, 'a command failed');
    return { code: 'internal', message: 'Internal error. See the log of the server.' };
  };

  return {
    /**
     * Takes a place of the account for one command. Returns what runs it on a connection.
     * @throws BerthError `too_many_requests`, `unavailable`
     */
    reserve(request: ExecRequest): (socket: MessageSocket) => void {
      if (isClosed) throw createError('unavailable', 'Berth is shutting down.');
      return take(request.source.accountId, (socket) => run(request, socket));
    },
    /** Ends all commands. */
    close(): void {
      isClosed = true;
      for (const end of running) end(createError('unavailable', 'The server is restarting. Run the command again.'));
    },
  };
}

function apply(command: ExecProcess, message: Steer): void {
  if (message.type === 'resize') command.resize(message);
  else if (message.type === 'signal') command.signal(message.signal);
  else command.endInput();
}

function parseMessage(text: string): ExecClientMessage | undefined {
  try {
    return execClientMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
