import type { Command } from './command.ts';

/** The language or kind of a project. */
export type PlanKind =
  | 'node'
  | 'bun'
  | 'deno'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'dotnet'
  | 'ruby'
  | 'php'
  | 'static'
  | 'custom';

/** A static site, served by Berth's own file server. */
export interface StaticSite {
  /** Folder relative to the project; null for the folder in which the build put an `index.html`. */
  readonly folder: string | null;
  /** Serves `index.html` for paths without a file. */
  readonly isSinglePage: boolean;
}

/** The inputs of the install steps. Equal inputs may share installed dependencies. */
export interface DependencyInputs {
  /** Folders that the install steps fill, relative to the project. */
  readonly folders: readonly string[];
  /** Files whose contents matter; missing files count as such. */
  readonly lockFiles: readonly string[];
  /** True if a lock file fixes every version. Otherwise the same inputs may install newer versions on another day. */
  readonly isPinned: boolean;
}

/** The steps to build and start a project. Plain data. */
export interface Plan {
  readonly kind: PlanKind;
  /** Name of the kind of project, e.g. `Node.js (npm)`. */
  readonly title: string;
  /** Programs that the machine must have; names in `PROGRAMS`. */
  readonly programs: readonly string[];
  readonly install: readonly Command[];
  readonly build: readonly Command[];
  /** The start command; null if `site` is set. */
  readonly start: Command | null;
  readonly site: StaticSite | null;
  /** Runs once before a new revision receives traffic. */
  readonly release: Command | null;
  /** Environment of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment of the install and build steps. */
  readonly buildEnv: Readonly<Record<string, string>>;
  /** See `FolderArtifact.sharedFolders`. Folders that don't exist after the build are ignored. */
  readonly sharedFolders: readonly string[];
  /**
   * Folders of programs installed for the project, relative to it. These come first in the PATH of every command, of
   * the service, and of the programs that they start.
   */
  readonly toolFolders: readonly string[];
  /** Folders with the programs of installed dependencies, relative to the project. */
  readonly binFolders: readonly string[];
  /** Null if the installed dependencies have other inputs than a few files, and can't be cached. */
  readonly dependencies: DependencyInputs | null;
  /** Sentences for the user, e.g. that a development server is used. */
  readonly notices: readonly string[];
}

/** A detected plan, possibly without a start command. */
export interface PlanDraft extends Plan {
  /** Why there is neither `start` nor `site`, as a sentence. */
  readonly whyNoStart: string;
  /** Notices about a start command that the project may replace with its own. */
  readonly startNotices: readonly string[];
}

/** Creates a draft with the given parts; everything else is empty. */
export function createDraft(kind: PlanKind, title: string, parts: Partial<PlanDraft> = {}): PlanDraft {
  return {
    kind,
    title,
    programs: [],
    install: [],
    build: [],
    start: null,
    site: null,
    release: null,
    env: {},
    buildEnv: {},
    sharedFolders: [],
    toolFolders: [],
    binFolders: [],
    dependencies: null,
    notices: [],
    whyNoStart: '',
    startNotices: [],
    ...parts,
  };
}

/** Formats a plan as one line: `Detected Node.js (npm): npm ci, npm run build, node server.js`. */
export function describePlan(plan: Plan): string {
  const steps = [...plan.install, ...plan.build].map(({ title }) => title);
  const release = plan.release === null ? [] : [`${plan.release.title} (release)`];
  return `Detected ${plan.title}: ${[...steps, ...release, plan.start?.title ?? describeSite(plan.site)].join(', ')}`;
}

function describeSite(site: StaticSite | null): string {
  if (site === null || site.folder === null) return 'serve the generated site';
  return site.folder === '.' ? 'serve its files' : `serve the files of ${site.folder}/`;
}
