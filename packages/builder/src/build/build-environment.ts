import { join } from 'node:path';

/** Options of {@link createBuildEnvironment}. */
export interface BuildEnvironmentOptions {
  /** Home folder of the owner's builds. Every tool keeps its cache below it. */
  readonly homeFolder: string;
  /** The operator's settings: registries, proxies, certificates. */
  readonly operatorEnv: Readonly<Record<string, string>>;
  /** The plan's settings, including the project's own. */
  readonly planEnv: Readonly<Record<string, string>>;
}

/**
 * Settings that make tools run without progress output, prompts and telemetry. Sources: the settings pages of npm, pip,
 * uv, Yarn, Next.js.
 */
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

/** Settings that keep files where the running service can see them and where they can be removed. */
export const PLACED = {
  // Yarn's default layout has no node_modules, which start commands and the dependency cache rely on.
  YARN_NODE_LINKER: 'node-modules',
  // A Python downloaded by uv would be in the home folder of builds, outside the artifact.
  UV_PYTHON_DOWNLOADS: 'never',
  // A file hard-linked to the cache could still be changed through the cache.
  UV_LINK_MODE: 'copy',
  // Older versions of uv overwrite an environment; newer ones ask first.
  UV_VENV_CLEAR: '1',
  GOFLAGS: '-modcacherw -buildvcs=false',
};

/**
 * Returns the environment of a build's commands, without what the sandbox sets (`PATH`, `TMPDIR`). It contains nothing
 * from the platform's own environment.
 */
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
