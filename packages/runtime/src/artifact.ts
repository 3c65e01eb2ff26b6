/** A command that runs once before a new revision receives traffic. */
export interface ReleaseCommand {
  /** The command as shown to people, e.g. `python manage.py migrate`. */
  readonly title: string;
  /** argv, in the form of the artifact's own `command`. */
  readonly command: readonly string[];
}

/**
 * The cases in which a server listens before its application is loaded, so that only an HTTP response proves readiness:
 * `always`, as gunicorn does, or `with_workers`, as uvicorn does when `WEB_CONCURRENCY` asks for several workers. Absent: never.
 */
export type LateApplication = 'always' | 'with_workers';

/** A packed copy of an artifact in the object store that several servers share. */
export interface StoredArtifact {
  /** Path of the object. Each build has its own, so that a late writer never replaces the object of another build. */
  readonly object: string;
  readonly sizeBytes: number;
  /** Hex SHA-256 of the object. */
  readonly sha256: string;
  /** For folder artifacts: the absolute artifact folder of the server that built it. Scripts in the tree may contain it. */
  readonly builtIn?: string;
}

/** The facts about a program that every artifact has. */
interface ArtifactProgram {
  /** Absent when only the server that built the artifact has it. */
  readonly stored?: StoredArtifact;
  readonly release?: ReleaseCommand;
  readonly lateApplication?: LateApplication;
  /** Set if the project depends on Berth's agent library. */
  readonly isAgent?: true;
}

/** A built program in a folder, which the process runtime starts. */
export interface FolderArtifact extends ArtifactProgram {
  readonly kind: 'folder';
  /**
   * Path of the built tree, `<account>/<deployment>/<revision>`, relative to the server's artifact folder (which may be moved).
   * The tree doesn't change once the revision exists.
   */
  readonly path: string;
  /** argv of the service, started in the tree's root. `expandCommand` replaces references to the instance's environment. */
  readonly command: readonly string[];
  /** Default variables, which the service's own environment overrides, e.g. `NODE_ENV`, `VIRTUAL_ENV`. */
  readonly env: Readonly<Record<string, string>>;
  /** Large folders below `path` that a running app never writes (`node_modules`, `.venv`): shared between instances, not copied. */
  readonly sharedFolders: readonly string[];
}

/** An OCI image, which the container runtimes start. `expandCommand` doesn't apply to its release command. */
export interface ImageArtifact extends ArtifactProgram {
  readonly kind: 'image';
  /** Content-addressed reference that an engine can start. */
  readonly reference: string;
  /** The user of the image's program, by number, where the builder knows it. Never root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The tag that keeps the image in the engine. Each revision has its own, because equal builds of two deployments give one image. */
  readonly name: string;
}

/** The output of a build, which a runtime starts. Stored as JSON with the revision. */
export type Artifact = FolderArtifact | ImageArtifact;
