import type { Duplex } from 'node:stream';
import { createError } from '@berth/contract';
import { BerthError, describeError, type InstanceId } from '@berth/kit';
import { type ExecProcess, type ExecSignal, type ExecSpec, SHELL_COMMAND } from '@berth/runtime';
import { createDelivery, SESSION_MARK, signalMarked, signalOfExitCode } from '@berth/runtime/drivers';
import type { Container, Exec } from 'dockerode';
import { engineMessage } from '../engine/engine-errors.ts';
import type { EngineContext } from '../engine/open-engine.ts';
import { demuxOutput } from './attach-output.ts';

/** Time between two looks at whether a killed command has ended. */
const LOOK_MS = 50;
/** Time in which a killed command ends; then the connection is given up. */
const KILL_GIVE_UP_MS = 5_000;

/** As {@link Runtime.exec}, for a running container: its user, capabilities, filter, control group and namespaces apply to the command. */
export async function execInContainer(
  container: Container,
  instanceId: InstanceId,
  { command, terminal, output }: ExecSpec,
  { engine, clock, logger }: Pick<EngineContext, 'engine' | 'clock' | 'logger'>,
): Promise<ExecProcess> {
  const mark = `${instanceId}-${crypto.randomUUID()}`;
  const Tty = terminal !== undefined;
  const { exec, stream } = await engine
    .call(async () => {
      const created = await container.exec({
        Cmd: command.length === 0 ? [...SHELL_COMMAND] : [...command],
        Env: [`${SESSION_MARK}=${mark}`, ...(terminal ? [`TERM=${terminal.type}`] : [])],
        ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty },
        ...(terminal && { ConsoleSize: [terminal.rows, terminal.columns] as [number, number] }),
      });
      return { exec: created, stream: await created.start({ hijack: true, stdin: true, Tty }) };
    })
    .catch((error: unknown) => {
      if (BerthError.is(error)) throw error;
      const reason = engineMessage(error) || describeError(error);
      throw createError('start_failed', `The command couldn't be executed: ${reason}.`, { cause: error });
    });
  stream.on('error', () => {});
  let resized = terminal ? resize(exec, terminal).catch(() => {}) : Promise.resolve();
  const delivery = createDelivery('output of a command was lost', logger);
  const pump = async (): Promise<void> => {
    if (Tty) for await (const chunk of stream) await delivery.take(output, 'stdout', chunk as Buffer);
    else for await (const { stream: name, chunk } of demuxOutput(stream)) await delivery.take(output, name, chunk);
  };
  const send = async (signal: ExecSignal | 'SIGKILL'): Promise<void> => {
    const sender = await container.exec({ Cmd: signalMarked(mark, signal) });
    await sender.start({ Detach: true });
  };
  const exited = (async () => {
    // A lost connection to the engine ends the output; the engine then knows how the command ended.
    await pump().catch(() => {});
    stream.destroy();
    for (const deadline = clock.monotonicMs() + KILL_GIVE_UP_MS; clock.monotonicMs() < deadline; ) {
      const { Running, ExitCode } = await engine.call(() => exec.inspect());
      if (!Running) return toExit(ExitCode ?? 0);
      await clock.sleep(LOOK_MS);
    }
    return { exitCode: null, signal: 'SIGKILL' };
  })().catch(() => ({ exitCode: null, signal: 'SIGKILL' }));
  return {
    exited,
    // What is typed after a change of the size finds the new one.
    write: (chunk) => resized.then(() => write(stream, chunk)),
    endInput() {
      if (Tty) void write(stream, new Uint8Array([4]));
      else stream.end();
    },
    resize(size) {
      if (Tty) resized = resized.then(() => resize(exec, size)).catch(() => {});
    },
    signal: (name) => void send(name).catch(() => {}),
    async kill() {
      await send('SIGKILL').catch(() => {});
      const over = clock.setTimer(KILL_GIVE_UP_MS, () => stream.destroy());
      return exited.finally(() => over.cancel());
    },
  };
}

function toExit(exitCode: number) {
  const signal = signalOfExitCode(exitCode);
  return signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal };
}

function resize(exec: Exec, { columns, rows }: { readonly columns: number; readonly rows: number }): Promise<void> {
  return exec.resize({ w: columns, h: rows });
}

function write(stream: Duplex, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write(chunk, () => resolve());
  });
}
