/** A command that runs once before a new revision gets the traffic. */
export interface ReleaseCommand {
  /** As people are shown it, e.g. `python manage.py migrate`. */
  readonly title: string;
  /** As the artifact's own command. */
  readonly command: readonly string[];
}

/**
 * When a server listens before it has loaded the application, so that only an answer over HTTP shows that the application is
 * there: always, as gunicorn does, or where `WEB_CONCURRENCY` asks for several workers, as uvicorn does. Absent: never.
 */
export type LateApplication = 'always' | 'with_workers';

/** A built program in a folder, as the process runtime starts it. */
export interface FolderArtifact {
  readonly kind: 'folder';
  /**
   * Of the built tree, relative to the server's folder of artifacts, which may be moved: `<account>/<deployment>/<revision>`.
   * What it holds does not change once the revision exists.
   */
  readonly path: string;
  /** argv of the service, started in the tree's root; `expandCommand` fills in the instance's environment. */
  readonly command: readonly string[];
  /** Set before the service's own environment, e.g. `NODE_ENV`, `VIRTUAL_ENV`. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders below `path` that are large and never written by a running app (`node_modules`, `.venv`): shared, not copied. */
  readonly sharedFolders: readonly string[];
  /** Absent when there is none. */
  readonly release?: ReleaseCommand;
  readonly lateApplication?: LateApplication;
}

/** An OCI image, as the container runtimes start it. */
export interface ImageArtifact {
  readonly kind: 'image';
  /** Content-addressed reference an engine can start. */
  readonly reference: string;
  /** The name by which the engine keeps it: one of each revision's own, since equal builds of two deployments are one image. */
  readonly name: string;
  /** Its command is an argv as it is. Absent when there is none. */
  readonly release?: ReleaseCommand;
  readonly lateApplication?: LateApplication;
}

/** What a build makes and a runtime starts. Stored as JSON with the revision. */
export type Artifact = FolderArtifact | ImageArtifact;
