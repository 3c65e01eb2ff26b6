import { hasFolderCopy } from '@berth/builder';
import { createError } from '@berth/contract/errors';
import { createProcessPort } from '@berth/gateway/workers';
import { BerthError, type Clock, describeError, type Logger } from '@berth/kit';
import type { Artifact, PrepareOptions } from '@berth/runtime';
import { workFolders } from '../data-folder/platform-folders.ts';
import type { Machine } from '../machine/machine.ts';
import { type Calls, createCalls } from './calls.ts';
import { execHandlers } from './exec-calls.ts';
import {
  CHANNELS,
  type ControlHandlers,
  type ControlSetting,
  type ControlStarted,
  type MachineHandlers,
  type ProofQuestion,
} from './role-calls.ts';
import { type RoleProcess, startRoleProcess } from './role-process.ts';
import { type SandboxHandlers, sandboxHandlers } from './sandbox-calls.ts';
import { supervise } from './supervise.ts';
import { watchLiveness } from './watch-liveness.ts';

/** Options of {@link createControl}. */
export interface ControlOptions
  extends Pick<MachineHandlers, 'setDomains' | 'setTraffic' | 'certificatesChanged' | 'figures'> {
  readonly setting: Omit<ControlSetting, 'before'>;
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Connects a new control process to the gateway, in the same turn of the event loop. */
  attach(child: RoleProcess['child']): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Twice the time that the parts take at most. */
const CLOSE_MS = 10_000;

/** Creates the control process, through restarts. */
export function createControl(options: ControlOptions) {
  const { setting, machine, environment, attach, clock, logger } = options;
  const { setDomains, setTraffic, certificatesChanged, figures } = options;
  let calls: Calls<ControlHandlers> | undefined;
  let started: ControlStarted | undefined;

  // That of builds, where builds have one.
  const { git } = machine;
  const own: Omit<MachineHandlers, keyof SandboxHandlers> = {
    ...execHandlers(machine.runtime),
    setDomains,
    setTraffic,
    certificatesChanged,
    figures,
    capabilities: () => machine.runtime.capabilities(),
    forget: (owner) => machine.runtime.forget(owner),
  };
  const handlers = git ? { ...own, ...sandboxHandlers(git.sandbox) } : own;
  const prepare = async ({ child, ended, kill }: RoleProcess): Promise<void> => {
    attach(child);
    const current = createCalls<ControlHandlers>(createProcessPort(child, CHANNELS.calls), handlers);
    calls = current;
    ended.then(() => {
      if (calls === current) calls = undefined;
    });
    const answer = await current.call('start', { ...setting, before: started });
    started ??= answer;
    watchLiveness({ name: 'control', ask: () => current.call('ping', null), kill, ended, clock, logger });
  };
  const supervisor = supervise({
    name: 'control',
    prepare,
    clock,
    logger,
    launch: () => startRoleProcess('control', environment),
  });
  /** Asks the control process to quiesce or close. A process that hangs or has ended is not awaited. */
  const askToEnd = async (name: 'quiesce' | 'close'): Promise<void> => {
    const giveUp = Promise.withResolvers<void>();
    const timer = clock.setTimer(CLOSE_MS, giveUp.resolve);
    const asked = calls?.call(name, null).catch((error: unknown) => {
      logger.warn({ call: name, error: describeError(error) }, 'the control process did not shut down cleanly');
    });
    await Promise.race([asked, giveUp.promise]);
    timer.cancel();
  };

  return {
    /** @throws the error of the first process */
    async start(): Promise<ControlStarted> {
      await supervisor.start();
      return started as ControlStarted;
    },
    /** Undefined also while no control process runs. */
    findProof: async (question: ProofQuestion): Promise<string | undefined> => calls?.call('findProof', question),
    reloadCertificates: async (): Promise<void> => calls?.call('reloadCertificates', null),
    /** As `Builder.shared.ensure`. @throws BerthError `start_failed` for an artifact that isn't here while no control process runs */
    async ensureArtifact(artifact: Artifact, { signal, onNotice }: PrepareOptions): Promise<void> {
      const folder = workFolders(machine.workRoot).artifacts;
      // Services start also while the control process is restarted.
      if (artifact.kind === 'folder' && (await hasFolderCopy(folder, artifact))) return;
      const onEvent = (message: unknown) => onNotice(message as string);
      try {
        if (!calls) throw createError('unavailable', 'The control plane is being restarted.');
        await calls.call('ensureArtifact', artifact, { signal, onEvent });
      } catch (cause) {
        if (!BerthError.is(cause, 'unavailable')) throw cause;
        // The engine may have the image, and otherwise says so.
        if (artifact.kind === 'image') return;
        throw createError('start_failed', `The build result couldn't be fetched. ${cause.message} Try again.`, {
          cause,
        });
      }
    },
    /** Stops new deploys and schedules. */
    quiesce: (): Promise<void> => askToEnd('quiesce'),
    /** Flushes everything and ends the process. */
    async close(): Promise<void> {
      await askToEnd('close');
      await supervisor.close(CLOSE_MS);
    },
  };
}
