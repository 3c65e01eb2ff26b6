import { join } from 'node:path';

export interface BuildEnvironmentOptions {
  /** Home folder of the owner's builds; every tool keeps its cache below it. */
  readonly homeFolder: string;
  /** Registries, proxies, certificates: the operator's. */
  readonly operatorEnv: Readonly<Record<string, string>>;
  /** The plan's, the project's own settings included. */
  readonly planEnv: Readonly<Record<string, string>>;
}

/** Tools are told that nobody looks on or answers. Sources: the settings pages of npm, pip, uv, Yarn, Next.js. */
export const QUIET = {
  CI: '1',
  NO_COLOR: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  PIP_PROGRESS_BAR: 'off',
  PIP_ROOT_USER_ACTION: 'ignore',
  UV_NO_PROGRESS: '1',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  YARN_ENABLE_TELEMETRY: '0',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  HUSKY: '0',
};

/** Without these a tool would put things where the running service does not see them, or can't be removed. */
export const PLACED = {
  // Yarn's own layout has no node_modules, which start commands and the dependency cache go by.
  YARN_NODE_LINKER: 'node-modules',
  // A Python that uv fetched would lie in the home folder of builds.
  UV_PYTHON_DOWNLOADS: 'never',
  // A file with a second name in the cache could still be changed through that one.
  UV_LINK_MODE: 'copy',
  // Older uv overwrites by itself; newer asks.
  UV_VENV_CLEAR: '1',
  GOFLAGS: '-modcacherw -buildvcs=false',
};

/** The whole environment of a build's commands besides what the sandbox sets (`PATH`, `TMPDIR`). Nothing of the platform's own. */
export function createBuildEnvironment(options: BuildEnvironmentOptions): Record<string, string> {
  const { homeFolder, operatorEnv, planEnv } = options;
  return {
    ...QUIET,
    ...PLACED,
    ...operatorEnv,
    ...planEnv,
    HOME: homeFolder,
    npm_config_cache: join(homeFolder, '.npm'),
    YARN_CACHE_FOLDER: join(homeFolder, '.yarn-cache'),
    BUN_INSTALL_CACHE_DIR: join(homeFolder, '.bun-cache'),
    XDG_CACHE_HOME: join(homeFolder, '.cache'),
    PIP_CACHE_DIR: join(homeFolder, '.cache', 'pip'),
    UV_CACHE_DIR: join(homeFolder, '.cache', 'uv'),
    CARGO_HOME: join(homeFolder, '.cargo'),
    COMPOSER_HOME: join(homeFolder, '.composer'),
    COMPOSER_ALLOW_SUPERUSER: '1',
    BUNDLE_USER_HOME: join(homeFolder, '.bundle'),
    DOTNET_CLI_HOME: homeFolder,
    NUGET_PACKAGES: join(homeFolder, '.nuget'),
    GOPATH: join(homeFolder, 'go'),
    GOMODCACHE: join(homeFolder, 'go', 'pkg', 'mod'),
    GOCACHE: join(homeFolder, '.cache', 'go-build'),
  };
}
