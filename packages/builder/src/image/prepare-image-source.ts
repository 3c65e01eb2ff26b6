import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { LateApplication, ReleaseCommand } from '@berth/runtime';
import { prepareSource } from '../build/prepare-source.ts';
import type { SuppliedLibrary } from '../build/supply-library.ts';
import { LOOKED_FOR } from '../detect/detect-plan.ts';
import { findLateApplication } from '../detect/python/late-application.ts';
import type { ArchiveLimits } from '../intake/archive-limits.ts';
import type { Command } from '../plan/command.ts';
import { describePlan, type Plan } from '../plan/plan.ts';
import { createFolderFiles, filterFiles } from '../plan/project-files.ts';
import type { StoredArchive } from '../port/builder.ts';
import { STATIC_SERVER } from '../site/install-static-server.ts';
import { type BaseImages, programsOfImages } from './base-images.ts';
import { adaptDockerfile } from './buildkit/adapt-dockerfile.ts';
import { type BaseImage, checkSources } from './check-sources.ts';
import { toContainerCommand } from './container-command.ts';
import { detectImageSource, type ImageRecipe } from './detect-image-source.ts';
import { generateDockerfile, OWN_FOLDER, PROJECT_FOLDER } from './generate-dockerfile.ts';
import { ignoreFolders, parseDockerignore } from './ignore-rules.ts';
import type { ImageRule } from './image-rule.ts';
import { chooseArguments } from './operator-arguments.ts';
import { packContext } from './pack-context.ts';

/** Options of {@link prepareImageSource}. */
export interface PrepareImageSourceOptions {
  /** An empty folder owned by the server. The caller removes its contents. */
  readonly folder: string;
  readonly limits: ArchiveLimits;
  readonly images: BaseImages;
  readonly isAllowed: ImageRule;
  /** Platform of the engine, such as `linux/amd64`. */
  readonly platform: string;
  /** The operator's build arguments: registries, proxies. */
  readonly buildArgs: Readonly<Record<string, string>>;
  /** PEM certificates that generated builds trust in addition to their own; undefined for none. */
  readonly bundle: string | undefined;
  /** Wall time, in milliseconds. */
  readonly nowMs: number;
  /** Id of the account that owns the build. */
  readonly account: string;
  /** A library that projects install from the platform, which builds can't reach. */
  readonly library?: SuppliedLibrary | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => Promise<void>;
}

/** A project prepared for an engine's build. */
export interface ImageSource {
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  /**
   * The displayed instructions of a generated Dockerfile, with their titles; undefined for a project's own Dockerfile.
   */
  readonly titles: Readonly<Record<string, string>> | undefined;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** The base images of a project's own Dockerfile; empty for a generated one. */
  readonly bases: readonly BaseImage[];
  /** As in the artifact; only known for generated Dockerfiles. */
  readonly lateApplication: LateApplication | undefined;
  /** `sha256:<hex>` of the source tree and the Dockerfile generated for it. */
  readonly digest: string;
  readonly release: ReleaseCommand | undefined;
  /** True if the project depends on Berth's agent library. */
  readonly isAgent: boolean;
  /** Variables that `berth.json` requires. */
  readonly requiredEnv: readonly string[];
  /** Returns the tar of the context. Each call creates a new stream. */
  pack(): Readable;
}

const FIND_SITE = fileURLToPath(new URL('./find-site.sh', import.meta.url));
const DAY_MS = 86_400_000;

/**
 * Unpacks an archive, detects how to build an image from it, and reports that through `say`.
 * @throws BerthError as `prepareSource` and `detectPlan`.
 */
export async function prepareImageSource(
  archive: StoredArchive,
  options: PrepareImageSourceOptions,
): Promise<ImageSource> {
  const { folder, limits, images, library, signal, say } = options;
  const project = join(folder, 'project');
  const programs = programsOfImages(images);
  const { found, sha256, isAgent, requiredEnv } = await prepareSource(archive, {
    limits,
    library,
    signal,
    say,
    place: { unpacked: join(folder, 'unpacked'), project },
    detect: (files) => detectImageSource(files, programs),
    lookedFor: `Dockerfile, ${LOOKED_FOR}`,
  });
  const source =
    found.kind === 'own'
      ? await prepareOwn(found, project, sha256, options)
      : await prepareGenerated(found.plan, project, sha256, options);
  return { ...source, isAgent, requiredEnv };
}

async function prepareOwn(
  { dockerfile, text, release, notices }: Extract<ImageRecipe, { kind: 'own' }>,
  project: string,
  sha256: string,
  { buildArgs, isAllowed, platform, say }: PrepareImageSourceOptions,
): Promise<Omit<ImageSource, 'isAgent' | 'requiredEnv'>> {
  await say(`Detected a ${dockerfile}`);
  for (const notice of notices) await say(notice);
  // The checks read the same text as the engine.
  const adapted = adaptDockerfile(text, platform);
  for (const notice of adapted.notices) await say(notice);
  const { given, withheld } = chooseArguments(adapted.text, buildArgs);
  const bases = checkSources(adapted.text, { values: given, isAllowed });
  for (const name of withheld) {
    await say(
      `ARG ${name} is declared in a stage that is part of the image, so it does not get the server's value. Declare it in an earlier stage`,
    );
  }
  const rules = (await createFolderFiles(project).readText('.dockerignore')) ?? '';
  const isIgnored = parseDockerignore(rules, dockerfile);
  const isAdapted = adapted.text !== text;
  const extra = { ...adapted.extra, ...(isAdapted ? { [dockerfile]: adapted.text } : {}) };
  return {
    dockerfile,
    titles: undefined,
    buildArgs: given,
    bases,
    lateApplication: undefined,
    digest: hash({ dockerfile, source: sha256 }),
    release: toRelease(release),
    pack: () => packContext({ folder: project, prefix: '', isIgnored, extra, modes: adapted.modes, sha256 }),
  };
}

async function prepareGenerated(
  plan: Plan,
  project: string,
  sha256: string,
  options: PrepareImageSourceOptions,
): Promise<Omit<ImageSource, 'isAgent' | 'requiredEnv'>> {
  const { images, buildArgs, bundle, nowMs, account, say } = options;
  await say(describePlan(plan));
  for (const notice of plan.notices) await say(notice);
  const { text, titles } = generateDockerfile({
    plan,
    images,
    lockFiles: await findLockFiles(plan, project),
    buildArgs: Object.keys(buildArgs),
    hasBundle: bundle !== undefined,
    day: Math.floor(nowMs / DAY_MS),
    account,
  });
  const extra: Record<string, string> = { Dockerfile: text };
  if (bundle !== undefined) extra[`${OWN_FOLDER}/ca.crt`] = bundle;
  if (plan.start === null) extra[`${OWN_FOLDER}/static-server.mjs`] = await readFile(STATIC_SERVER, 'utf8');
  if (plan.site?.folder === null) extra[`${OWN_FOLDER}/find-site.sh`] = await readFile(FIND_SITE, 'utf8');
  // Uploaded node_modules and .venv folders were made for another machine.
  const isIgnored = ignoreFolders(plan.install.length > 0 ? plan.sharedFolders : []);
  return {
    dockerfile: 'Dockerfile',
    titles,
    buildArgs,
    bases: [],
    lateApplication: findLateApplication(plan),
    digest: hash({ plan, images, source: sha256 }),
    release: toRelease(plan.release),
    pack: () => packContext({ folder: project, prefix: `${PROJECT_FOLDER}/`, isIgnored, extra, sha256 }),
  };
}

async function findLockFiles(plan: Plan, project: string): Promise<string[]> {
  const files = createFolderFiles(project);
  const isVendored = plan.kind === 'go' && (await files.kindOf('vendor')) === 'folder';
  const names = plan.kind === 'go' ? ['go.mod', 'go.sum'] : (plan.dependencies?.lockFiles ?? []);
  const found = await filterFiles(files, names);
  // A module without go.sum has no dependencies to download first.
  return isVendored || (plan.kind === 'go' && !found.includes('go.sum')) ? [] : found;
}

function toRelease(release: Command | null | undefined): ReleaseCommand | undefined {
  return release ? { title: release.title, command: toContainerCommand(release.argv) } : undefined;
}

function hash(parts: object): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
}
