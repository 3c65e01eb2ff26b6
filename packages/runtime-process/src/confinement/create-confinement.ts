import { realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { hasProcessTable, SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import type { Cgroups } from '../cgroup/cgroup.ts';
import { emptyCgroupFolders } from '../cgroup/empty-cgroup.ts';
import { openCgroups } from '../cgroup/open-cgroups.ts';
import { reapLeftovers } from '../guard/reap-leftovers.ts';
import { openRunningRecords, type RunningRecords } from '../guard/running-record.ts';
import { takeServerToken } from '../guard/server-token.ts';
import { startGuardian } from '../guard/start-guardian.ts';
import { makeFolder } from '../host/make-folder.ts';
import { guardMetadata } from '../host/metadata-guard.ts';
import { prepareWorkRoot, serverHash } from '../host/work-root.ts';
import { lackingCapabilities, openUsers } from '../identity/open-users.ts';
import { removeTree } from '../identity/remove-tree.ts';
import { createLauncher } from '../launch/create-launcher.ts';
import { createPrivateFolder } from '../launch/private-folder.ts';
import { openNetworks } from '../network/open-networks.ts';
import { findFilter } from '../seccomp/filter.ts';
import { createProgramFinder } from '../toolchain/find-program.ts';
import { prepareToolbox } from '../toolchain/prepare-toolbox.ts';
import type { Confinement } from './confinement.ts';
import { createMountPolicy } from './create-mount-policy.ts';
import { describeCapabilities, describeLacking, LAUNCH_REMEDY } from './describe-capabilities.ts';
import { inspectHost } from './inspect-host.ts';
import { clearAbandoned } from './remove-leftovers.ts';
import { CLAIM_FOLDER, RECORD_FOLDER, STATE_FOLDER, TOKEN_FILE, USERS_FILE } from './state-places.ts';
import { tryProgram } from './try-program.ts';

/** Options of {@link createConfinement}. */
export interface ConfinementOptions {
  /** The server's data folder, which must exist. Only the work root in it is visible to tenants. */
  readonly dataFolder: string;
  /** Folder in which servers that share volumes agree on the groups of accounts. Absent: this server is the only one. */
  readonly groupFolder?: string | undefined;
  /** Further folders that no tenant may see: the server's code, keys stored elsewhere. */
  readonly protectedFolders?: readonly string[];
  /** The server's PATH, which is searched for compilers and interpreters. */
  readonly programPath: string;
  /** Home folder of the server's user, where version managers keep toolchains. */
  readonly homeFolder: string;
  /** Path of the Node that services run on; usually `process.execPath`. */
  readonly nodePath: string;
  /** Lets programs make user namespaces, and so sandboxes of their own. Turns the system call filter off. Default false. */
  readonly allowsNestedSandboxes?: boolean;
  /** `auto` (default): a network for each program where possible. `shared`: all programs use the machine's network. */
  readonly networks?: 'auto' | 'shared';
  /** TCP ports on this machine's loopback that services and builds may reach, at the same ports of their own loopback. */
  readonly hostPorts?: readonly number[];
  /** Networks that services and builds may not reach, such as `10.0.0.0/8`. */
  readonly blockedRanges?: readonly string[];
  /** `auto` (default): a sandbox where possible. `none`: no sandbox; separate users and limits still apply. */
  readonly isolation?: 'auto' | 'none';
  /** Candidates for the work root when services can't reach the data folder. Default: see `prepareWorkRoot`. */
  readonly publicFolders?: readonly string[];
  /** Path of a compiled system call filter. Default: Berth's own for this architecture. */
  readonly seccompFilter?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Probes what this machine can enforce, cleans up after earlier servers, and prepares the resources that all programs share.
 * @throws BerthError `unavailable` when this server is root but has no other users: tenants' programs never run as root.
 */
export async function createConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { isolation = 'auto', publicFolders, nodePath, homeFolder, clock, logger } = options;
  const dataFolder = await realpath(options.dataFolder);
  const hash = serverHash(dataFolder);
  const stateFolder = join(dataFolder, STATE_FOLDER);
  await makeFolder(stateFolder, 0o700);
  const token = takeServerToken(join(stateFolder, TOKEN_FILE));
  const isNamedRoot = process.getuid?.() === 0;
  const lacking = isNamedRoot ? lackingCapabilities() : [];
  // Root without the capabilities to switch users starts nothing, because tenants' programs never run as root.
  const isRoot = isNamedRoot && lacking.length === 0;
  const launchProblem = lacking.length === 0 ? undefined : describeLacking(lacking);
  const identityFile = join(stateFolder, USERS_FILE);
  const claims = isRoot ? await clearAbandoned(clock) : undefined;
  const users = claims && (await openUsers(identityFile, hash, claims.taken(hash), options.groupFolder));
  const seccompFilter = options.allowsNestedSandboxes ? undefined : (options.seccompFilter ?? findFilter());
  const host = await inspectHost({
    ...{ isolation, stateFolder, range: users?.range, seccompFilter, clock },
    allowsNestedSandboxes: options.allowsNestedSandboxes ?? false,
  });
  const { tools, sandbox, sandboxProblem } = host;
  const workRoot = await prepareWorkRoot({
    ...{ dataFolder, needsPublic: isRoot && !sandbox },
    ...(publicFolders && { publicFolders }),
  });
  const runFolder = join(workRoot, 'run');
  const recordFolder = join(stateFolder, RECORD_FOLDER);
  const records = openRunningRecords(recordFolder);
  const cgroups = openCgroups(`berth-${hash}`, clock);
  if (users) claims?.make({ serverHash: hash, range: users.range, cgroupFolders: cgroups.folders });
  await clearLeftovers({ records, cgroups, runFolder, userIds: users?.userIds() ?? new Set(), clock, logger });

  const hidden = [dataFolder, ...(options.protectedFolders ?? [])];
  const opening = openNetworks({
    ...{ isRoot, records },
    isShared: options.networks === 'shared',
    isSandboxed: sandbox !== undefined,
    claimFolder: CLAIM_FOLDER,
    viewFolder: join(stateFolder, 'view'),
    serverHash: hash,
    hostPorts: options.hostPorts ?? [],
    blockedRanges: options.blockedRanges ?? [],
    ...{ clock, logger },
  });
  const toolbox = await prepareToolbox({
    workRoot,
    homeFolder,
    nodePath,
    programFolders: options.programPath.split(delimiter).filter((folder) => folder.startsWith('/')),
    hidden,
    sandbox,
    hasUsers: isRoot,
  });
  const setup = sandbox && { ...sandbox, hidden, toolFolders: toolbox.shownFolders };
  const launcher = createLauncher({ tools, cgroups, sandbox: setup, records, clock, logger });
  const guardian = await startGuardian(nodePath, recordFolder, identityFile, token);
  const metadata = await guardMetadata(SYSTEM_PROGRAM_FOLDERS, users?.range);

  const networks = await opening;
  const base = {
    workRoot,
    isSandboxed: sandbox !== undefined,
    hasUsers: users !== undefined,
    cgroups: cgroups.features,
    networks,
    programPath: toolbox.programFolders.join(delimiter),
    mountPolicy: createMountPolicy([...hidden, workRoot, ...toolbox.shownFolders]),
    identityOf: async (owner) => users?.of(owner),
    forget: async (owner) => users?.forget(owner),
    async createPrivateFolder(name, identity) {
      const path = join(runFolder, name);
      await createPrivateFolder(path, identity, tools.mkfifo);
      return path;
    },
    systemState: () => sandbox?.view.state() ?? '',
    wake: cgroups.wake,
    prepare(spec) {
      if (launchProblem !== undefined) throw createError('start_failed', `${launchProblem} ${LAUNCH_REMEDY}`);
      return launcher.prepare(spec);
    },
    capabilities: () =>
      describeCapabilities({
        isSandboxed: sandbox !== undefined,
        sandboxProblem,
        hasSyscallFilter: sandbox?.seccompFilter !== undefined,
        hasUsers: users !== undefined,
        cgroups: cgroups.features,
        cgroupDescription: cgroups.description,
        hasProcessTable: hasProcessTable(),
        hasResourceLimits: tools.prlimit !== undefined,
        networks,
        metadataProblem: metadata.problem,
        launchProblem,
      }),
    async close() {
      await guardian.close();
      await networks.close();
      await metadata.close();
      await cgroups.close();
      sandbox?.userNamespace?.close();
      claims?.release();
      await removeTree(runFolder);
    },
  } satisfies Omit<Confinement, 'findProgram' | 'findVersion'>;
  const { programFolders, isVisible } = toolbox;
  const run = async (argv: readonly string[]) =>
    // When nothing can be launched, a trial counts as a success, so that a build fails later with the reason of the launch problem.
    launchProblem === undefined ? tryProgram(base, argv, clock) : { exitCode: 0, output: '' };
  return { ...base, ...createProgramFinder({ programFolders, isVisible, run, clock }) };
}

interface LeftoverOptions {
  readonly records: RunningRecords;
  readonly cgroups: Cgroups;
  readonly runFolder: string;
  readonly userIds: ReadonlySet<number>;
  readonly clock: Clock;
  readonly logger: Logger;
}

async function clearLeftovers({ records, cgroups, runFolder, userIds, clock, logger }: LeftoverOptions): Promise<void> {
  const reaped = await reapLeftovers({ records, userIds, isMine: () => true }, clock);
  if (reaped > 0) logger.warn({ processes: reaped }, 'stopped processes left by an earlier server');
  await emptyCgroupFolders(cgroups.folders, clock);
  await removeTree(runFolder);
  await makeFolder(runFolder, 0o711);
}
