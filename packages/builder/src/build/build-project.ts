import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { CommandSandbox } from '@berth/runtime';
import { prepareHome } from '../cache/cache-places.ts';
import type { CachedDependencies, DependencyCache } from '../cache/dependency-cache.ts';
import { computeDependencyKey } from '../cache/dependency-key.ts';
import { detectPlan, LOOKED_FOR } from '../detect/detect-plan.ts';
import type { ArtifactPlace } from '../files/artifact-places.ts';
import { removeTree } from '../files/remove-tree.ts';
import { syncTree } from '../files/sync-tree.ts';
import type { ArchiveLimits } from '../intake/archive-limits.ts';
import { describePlan, type Plan } from '../plan/plan.ts';
import { type HasProgram, PROGRAMS, type Programs } from '../plan/programs.ts';
import { createFolderFiles } from '../plan/project-files.ts';
import type { BuildRequest, BuildResult } from '../port/builder.ts';
import { createBuildEnvironment } from './build-environment.ts';
import type { BuildLimits } from './build-limits.ts';
import { findRealFolders, finishArtifact } from './finish-artifact.ts';
import { prepareSource } from './prepare-source.ts';
import { runSteps } from './run-steps.ts';
import type { SuppliedLibrary } from './supply-library.ts';

/** Options of {@link buildProject}. */
export interface BuildProjectContext {
  readonly sandbox: CommandSandbox;
  readonly clock: Clock;
  readonly cache: DependencyCache;
  readonly cacheFolder: string;
  readonly limits: BuildLimits;
  readonly archiveLimits: ArchiveLimits;
  /** The operator's environment for every command. */
  readonly env: Readonly<Record<string, string>>;
  /** Put into projects that depend on it. */
  readonly library?: SuppliedLibrary | undefined;
  readonly place: ArtifactPlace;
  readonly request: BuildRequest;
  readonly signal: AbortSignal;
  /** Called before the first command runs; the owner's caches may change from then on. */
  onCommands(): void;
}

/**
 * Runs one build, from the archive to the sealed artifact. After a failure the caller removes the files.
 * @throws BerthError as `Builder.build`.
 */
export async function buildProject(context: BuildProjectContext): Promise<BuildResult> {
  const { sandbox, clock, cache, place, request, signal } = context;
  const { owner, onLine } = request;
  const { project } = place;
  const deadlineMs = clock.monotonicMs() + context.limits.timeoutMs;
  const say = async (line: string) => onLine(line, false);
  const programs: Programs = {
    has: async (name) => (await sandbox.findProgram(name)) !== undefined,
    versionOf: (name) => sandbox.findVersion(name),
    platform: `${process.platform}-${process.arch}`,
  };

  const limits = context.archiveLimits;
  const {
    found: plan,
    sha256,
    isAgent,
    requiredEnv,
  } = await prepareSource(request.archive, {
    place,
    limits,
    library: context.library,
    signal,
    say,
    detect: (files) => detectPlan(files, programs),
    lookedFor: LOOKED_FOR,
  });
  await say(describePlan(plan));
  for (const notice of plan.notices) await say(notice);
  await requirePrograms(plan, programs.has);

  const folders = plan.dependencies?.folders ?? [];
  // Uploaded node_modules and .venv folders were made for another machine.
  if (plan.install.length > 0) for (const folder of plan.sharedFolders) await removeTree(join(project, folder));
  const cached = await findCached(context, plan);
  const isRestored = cached !== undefined && (await cache.restore(cached, { isWritten: plan.build.length > 0 }));
  if (isRestored) await say(`Dependencies unchanged: using the cached ${folders.join(' and ')}`);

  const startMs = clock.monotonicMs();
  try {
    await runPlan(context, plan, isRestored, deadlineMs);
  } catch (error) {
    // A build that fails with cached dependencies must not get the same ones again.
    if (isRestored) await cache.drop(cached);
    throw error;
  }
  const buildMs = Math.round(clock.monotonicMs() - startMs);

  await sandbox.seal(project, owner);
  const artifact = { ...(await finishArtifact({ plan, place, sandbox })), ...(isAgent && { isAgent: true as const }) };
  await syncTree(project);
  const kept = await findRealFolders(project, folders);
  // The cache entry would be incomplete if one of the folders is missing.
  if (cached && !isRestored && kept.length === folders.length) await cache.save(cached, kept);
  const whole = JSON.stringify({ plan, source: sha256 });
  return { artifact, digest: `sha256:${createHash('sha256').update(whole).digest('hex')}`, requiredEnv, buildMs };
}

async function findCached(context: BuildProjectContext, plan: Plan): Promise<CachedDependencies | undefined> {
  const { sandbox, clock, env, place } = context;
  const files = createFolderFiles(place.project);
  const key = await computeDependencyKey({ plan, files, sandbox, operatorEnv: env, nowMs: clock.nowMs() });
  return key === undefined ? undefined : { owner: place.owner, key, projectFolder: place.project };
}

async function runPlan(context: BuildProjectContext, plan: Plan, isInstalled: boolean, deadlineMs: number) {
  const { sandbox, clock, limits, place, request, signal, cacheFolder } = context;
  const { owner, project } = place;
  const steps = isInstalled ? plan.build : [...plan.install, ...plan.build];
  if (steps.length === 0) return;
  context.onCommands();
  await sandbox.giveToOwner(project, owner);
  const homeFolder = await prepareHome(cacheFolder, sandbox, owner, project);
  await runSteps({
    sandbox,
    clock,
    owner,
    steps,
    folder: project,
    programFolders: plan,
    writableFolders: [project, homeFolder],
    env: createBuildEnvironment({ homeFolder, operatorEnv: context.env, planEnv: plan.buildEnv }),
    limits,
    deadlineMs,
    signal,
    onLine: request.onLine,
  });
}

/**
 * Checks that this machine has the plan's programs. @throws BerthError `build_failed` that names each missing program
 * and how to install it.
 */
async function requirePrograms(plan: Plan, hasProgram: HasProgram): Promise<void> {
  const missing: string[] = [];
  for (const name of plan.programs) {
    if (await hasProgram(name)) continue;
    const info = PROGRAMS.find((program) => program.name === name);
    missing.push(`${info?.title ?? name} is not installed on this server. ${info?.remedy ?? ''}`.trim());
  }
  if (missing.length > 0) throw createError('build_failed', missing.join(' '));
}
