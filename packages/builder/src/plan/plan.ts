import type { Command } from './command.ts';

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

/** A site of files, served by Berth's own static file server. */
export interface StaticSite {
  /** Relative to the project; null: where the build put an `index.html`. */
  readonly folder: string | null;
  /** Answers `index.html` for paths without a file. */
  readonly isSinglePage: boolean;
}

/** What the installed dependencies depend on; equal inputs may share them. */
export interface DependencyInputs {
  /** Folders that the install steps fill, relative to the project. */
  readonly folders: readonly string[];
  /** Files whose contents decide; those that do not exist count as such. */
  readonly lockFiles: readonly string[];
  /** A lock file fixes every version. Without one the same inputs may install something newer another day. */
  readonly isPinned: boolean;
}

/** How to make a program out of a source tree and start it. Plain data. */
export interface Plan {
  readonly kind: PlanKind;
  /** e.g. `Node.js (npm)`. */
  readonly title: string;
  /** Programs this machine must have; names of `PROGRAMS`. */
  readonly programs: readonly string[];
  readonly install: readonly Command[];
  readonly build: readonly Command[];
  /** Null where `site` is set. */
  readonly start: Command | null;
  readonly site: StaticSite | null;
  /** Runs once before a new revision gets the traffic. */
  readonly release: Command | null;
  /** Of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the install and build steps. */
  readonly buildEnv: Readonly<Record<string, string>>;
  /** See `FolderArtifact.sharedFolders`; those that do not exist after the build do not count. */
  readonly sharedFolders: readonly string[];
  /**
   * Folders of programs that were brought for the project, relative to it: every command and the service find them first, and so
   * do the programs that those start.
   */
  readonly toolFolders: readonly string[];
  /** Where installed dependencies put their programs, relative to the project. */
  readonly binFolders: readonly string[];
  /** Null: what the steps install depends on more than a few files, and is made anew each time. */
  readonly dependencies: DependencyInputs | null;
  /** What a person should know, in sentences, e.g. that a development server is used. */
  readonly notices: readonly string[];
}

/** What a detector found: a plan, perhaps without a way to start it. */
export interface PlanDraft extends Plan {
  /** Why there is neither `start` nor `site`, in a sentence. */
  readonly whyNoStart: string;
  /** As `notices`, of a start that the project may replace by its own. */
  readonly startNotices: readonly string[];
}

/** A draft with nothing in it but its kind and title. */
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

/** The plan in a line: `Detected Node.js (npm): npm ci, npm run build, node server.js`. */
export function describePlan(plan: Plan): string {
  const steps = [...plan.install, ...plan.build].map(({ title }) => title);
  const release = plan.release === null ? [] : [`${plan.release.title} (release)`];
  return `Detected ${plan.title}: ${[...steps, ...release, plan.start?.title ?? describeSite(plan.site)].join(', ')}`;
}

function describeSite(site: StaticSite | null): string {
  if (site === null || site.folder === null) return 'serve the site that it makes';
  return site.folder === '.' ? 'serve its files' : `serve the files of ${site.folder}/`;
}
