import type { ChildProcess } from 'node:child_process';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { OutputSink } from '@berth/runtime';
import { ownUser } from '../bubblewrap/sandbox-arguments.ts';
import type { SandboxParts } from '../bubblewrap/system-view.ts';
import type { Cgroup, Cgroups } from '../cgroup/cgroup.ts';
import type { RunningRecords } from '../guard/running-record.ts';
import type { Tools } from '../host/tools.ts';
import { findProcessesOfUsers, type Leader, trySignal } from '../process-table/find-members.ts';
import { splitEnvironment } from './base-environment.ts';
import { createLaunched } from './create-launched.ts';
import { createSpawn, withFileMask } from './create-spawn.ts';
import type { Launched, LaunchSpec, PreparedLaunch } from './launch-spec.ts';
import type { ProgramStdio, SpawnedProgram } from './program.ts';
import { openProgramOutput } from './program-output.ts';
import { spawnDirect } from './spawn-direct.ts';
import { NAMESPACE_FD, spawnSandboxed } from './spawn-sandboxed.ts';
import { identifyFile } from './wait-for-exec.ts';
import { wrapProgram, wrapSandbox } from './wrap-command.ts';

/** The settings that all sandboxes of this machine share. */
export interface SandboxSetup extends SandboxParts {
  readonly hidden: readonly string[];
  /** Toolchains outside of the system's folders, mounted read-only at their own path. */
  readonly toolFolders: readonly string[];
}

/** Options of {@link createLauncher}. */
export interface LauncherOptions {
  readonly tools: Tools;
  readonly cgroups: Cgroups;
  /** Undefined: programs run without a sandbox. */
  readonly sandbox: SandboxSetup | undefined;
  /** Holds a record of each program while it runs. */
  readonly records: RunningRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum processes of all instances of an owner together, where no control group limits processes. */
const USER_PROCESSES = 4_096;
/** umask of programs: everyone may read new files, only their owner may write them. Independent of the server's umask. */
const USUAL_MASK = 0o022;
/** umask of programs with volumes, whose group may write new files. */
const SHARING_MASK = 0o002;
/** The process of bubblewrap in the pid namespace. */
const SANDBOX_PROCESSES = 1;

/** Creates the launcher of a confinement. */
export function createLauncher(options: LauncherOptions) {
  const { tools, cgroups, sandbox, records, clock, logger } = options;
  const wrapperPaths = [...Object.values(tools), sandbox?.bubblewrap].filter((path) => path !== undefined);
  const wrappers = new Set(wrapperPaths.map((path) => identifyFile(path) ?? ''));
  /** User id → number of programs that run as that user. */
  const running = new Map<number, number>();
  /** Processes of programs that are held back, which may have become their user already. */
  const heldBack = new Set<number>();

  const spawn = createSpawn();
  const spawnProgram = (spec: LaunchSpec, cgroup: Cgroup | undefined, stdio: ProgramStdio) => {
    const { plain, unsafe } = splitEnvironment(spec.env);
    const { identity, name, network, session } = spec;
    const folder = session?.folder ?? spec.privateFolder;
    const hasTerminal = session?.terminal !== undefined;
    const argv = hasTerminal && tools.setsid ? [tools.setsid, '--ctty', ...spec.argv] : spec.argv;
    const wrapping = {
      tools,
      identity,
      isLowPriority: spec.limits.isLowPriority,
      // Without a sandbox a program on a busy machine may fork before it is in its group, so its user is limited, too.
      userProcesses: identity && !(sandbox && cgroups.features.processes) ? USER_PROCESSES : undefined,
      enterNetwork: network?.enter ?? [],
    };
    // With a sandbox, bubblewrap itself runs as the server's user.
    const uid = sandbox ? undefined : (identity?.uid ?? process.getuid?.());
    const trace = { folder, uid: uid === 0 ? undefined : uid, cgroupFolders: cgroup?.folders ?? [] };
    records.write(name, trace);
    const onSpawned = (leader: Leader): void => records.write(name, { ...trace, leader });
    const common = { argv, env: plain, stdio, cgroup, wrappers, onSpawned, spawn, clock };
    if (sandbox) {
      return spawnSandboxed({
        ...common,
        markFolder: folder,
        bubblewrap: wrapSandbox([sandbox.bubblewrap], wrapping),
        sandbox: { ...sandboxOf(sandbox, spec, unsafe), hasTerminal },
        namespace: sandbox.userNamespace?.descriptor,
        seccompFilter: sandbox.seccompFilter,
        verified: spec.verified,
      });
    }
    const user = identity && !tools.setpriv ? { uid: identity.uid, gid: identity.gid } : undefined;
    return spawnDirect({
      ...common,
      ...spec,
      privateFolder: folder,
      hasTerminal,
      argv: wrapProgram(argv, { ...wrapping, unsafe }),
      env: plain,
      user,
      uid,
    });
  };

  const sandboxOf = (setup: SandboxSetup, spec: LaunchSpec, lateEnv: Readonly<Record<string, string>>) => ({
    view: setup.view,
    hidden: setup.hidden,
    binds: [...setup.toolFolders.map((source) => ({ source, isReadOnly: true })), ...spec.binds],
    privateFolder: spec.privateFolder,
    passwdFile: setup.passwdFileOf(spec.identity?.uid),
    etcFiles: spec.network?.etcFiles ?? {},
    workingFolder: spec.workingFolder,
    user: spec.identity
      ? ({ kind: 'identity', identity: spec.identity, namespaceFd: NAMESPACE_FD } as const)
      : ownUser(),
    lateEnv,
  });

  /** Kills processes that cleared their environment and left their session. They are found by their user, once no program runs as it. */
  const sweepUser = (uid: number): void => {
    if (sandbox || (running.get(uid) ?? 0) > 0) return;
    for (const { pid } of findProcessesOfUsers(new Set([uid]))) if (!heldBack.has(pid)) trySignal(pid, 'SIGKILL');
  };

  return {
    /** Spawns a program and holds it back before its own code runs. @throws the system's error. */
    prepare(spec: LaunchSpec): PreparedLaunch {
      const uid = spec.identity?.uid;
      const { session } = spec;
      const folder = session?.folder ?? spec.privateFolder;
      const output = session?.terminal ?? openProgramOutput(folder, clock, logger, session !== undefined);
      let cgroup: Cgroup | undefined;
      let spawned: { readonly child: ChildProcess; readonly program: SpawnedProgram };
      try {
        const processes = spec.limits.processes + (sandbox ? SANDBOX_PROCESSES : 0);
        cgroup = session
          ? session.cgroup?.createChild(spec.name)
          : cgroups.create(spec.name, { ...spec.limits, processes });
        spawned = withFileMask(spec.isSharing ? SHARING_MASK : USUAL_MASK, () =>
          spawnProgram(spec, cgroup, output.stdio),
        );
      } catch (error) {
        output.discard();
        if (cgroup) runInBackground('remove a control group', cgroup.remove(), logger);
        records.remove(spec.name);
        throw error;
      }
      const { child, program } = spawned;
      const { pid } = child;
      if (pid !== undefined) heldBack.add(pid);
      output.attach(child);
      const onEnded = (): void => {
        records.remove(spec.name);
        if (uid === undefined) return;
        running.set(uid, (running.get(uid) ?? 1) - 1);
        sweepUser(uid);
      };
      let isOver = false;
      void program.exit.then(() => {
        isOver = true;
        if (pid !== undefined) heldBack.delete(pid);
      });
      const start = (sink: OutputSink): Launched => {
        if (pid !== undefined) heldBack.delete(pid);
        output.read(sink);
        if (uid !== undefined) running.set(uid, (running.get(uid) ?? 0) + 1);
        const hasFreezer = cgroups.features.freezer;
        return createLaunched({ pid, program, output, cgroup, hasFreezer, onEnded, clock, logger });
      };
      return {
        isHeld: program.held,
        input: child.stdin,
        get isOver() {
          return isOver;
        },
        start,
        async discard() {
          program.kill();
          await start(() => {}).ended;
        },
      };
    },
  };
}
